/** What each kind of replay does, for whoever chooses one. */
export const KINDS = {
  events: {
    title: "Publish again",
    about: "Sends events to their topic once more, with the same id. For consumers that lost something.",
    one: "event",
    many: "events",
  },
  confirmations: {
    title: "Ask again",
    about: "Asks the provider about invoices once more. What is newly paid is published.",
    one: "confirmation",
    many: "confirmations",
  },
  callbacks: {
    title: "Read again",
    about: "Reads callbacks of the log once more, for ids that were not found, or that were refused.",
    one: "callback",
    many: "callbacks",
  },
} as const;

export type ReplayKind = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as ReplayKind[];

/** `3 events`. */
export const countOf = (kind: ReplayKind, count: number): string =>
  `${count.toLocaleString("en-US")} ${KINDS[kind][count === 1 ? "one" : "many"]}`;

const NAMES: Readonly<Record<string, string>> = {
  from: "from",
  to: "until",
  collection: "of collection",
  verdict: "with verdict",
  source: "of source",
  eventType: "of type",
};

/** The filters of a replay in one line. */
export function filterWords(filters: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(filters).flatMap(([name, value]) => {
    if (value === undefined || value === null || value === false) return [];
    if (name === "refused") return ["refused ones"];
    if (Array.isArray(value)) return [`${value.length} chosen`];
    const text = name === "from" || name === "to" ? timeWords(String(value)) : String(value);
    return [`${NAMES[name] ?? name} ${text}`];
  });
  return parts.length === 0 ? "everything" : parts.join(", ");
}

const timeWords = (at: string) => `${at.slice(0, 16).replace("T", " ")} UTC`;

/** How far it is, from 0 to 1. */
export const shareOf = ({ handled, matching }: { handled: number; matching: number }): number =>
  matching === 0 ? 1 : Math.min(1, handled / matching);
