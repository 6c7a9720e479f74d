import type { Replay } from "../api/types.ts";
import { countText, numberOf } from "../kit/text.ts";
import { clockText, dayText, zoneName } from "../kit/time.ts";
import { wordOf } from "../parts/words.ts";

/** What each kind of replay does, for whoever chooses one. */
export const KINDS = {
  events: {
    title: "Publish again",
    about: "Sends events to their topic once more, with the same id. For consumers that lost something.",
  },
  confirmations: {
    title: "Ask again",
    about: "Asks the provider about invoices once more. What is newly paid is published.",
  },
  callbacks: {
    title: "Read again",
    about: "Reads callbacks of the log once more, for ids that were not found, or that were refused.",
  },
} as const;

export type ReplayKind = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as ReplayKind[];

export const countOf = (kind: ReplayKind, count: number): string => numberOf(count, kind.slice(0, -1), kind);

const NAMES: Readonly<Record<string, string>> = {
  from: "from",
  to: "until",
  collection: "of collection",
  verdict: "with verdict",
  source: "of source",
  eventType: "of type",
};

/** The filters of a replay in one line. @param timeZone that times are shown in. */
export function filterWords(filters: Readonly<Record<string, unknown>>, timeZone: string): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== null);
  const chosen = given.find(([, value]) => Array.isArray(value))?.[1] as unknown[] | undefined;
  const parts = given.flatMap(([name, value]) => {
    if (value === false || Array.isArray(value)) return [];
    if (name === "refused") return ["refused ones too"];
    if (name === "from" || name === "to") return [`${NAMES[name]} ${timeWords(String(value), timeZone)}`];
    return [`${NAMES[name] ?? name} ${name === "verdict" ? wordOf(String(value)) : value}`];
  });
  return [chosen === undefined ? "everything" : `${countText(chosen.length)} chosen`, ...parts].join(", ");
}

function timeWords(text: string, timeZone: string): string {
  const at = new Date(text);
  if (Number.isNaN(+at)) return text;
  return `${dayText(at, timeZone)}, ${clockText(at, timeZone).slice(0, 5)} ${zoneName(at, timeZone)}`;
}

export const shareOf = ({ handled, matching }: { handled: number; matching: number }): number =>
  matching === 0 ? 1 : Math.min(1, handled / matching);

/** Where its events go, in words; "" where there is nothing to say. */
export const targetWords = ({ kind, target }: Pick<Replay, "kind" | "target">): string => {
  if (kind !== "events") return "the provider";
  return target.kind === "other_topic" ? target.topicArn : "their topics";
};
