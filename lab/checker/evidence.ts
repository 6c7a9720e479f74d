import type { Happening } from "./history.ts";

/** The event in what SNS accepted; empty when it is not an event. */
interface SeenEvent {
  id?: string;
  source?: string;
  type?: string;
  data?: Record<string, unknown> & { invoiceId?: string; type?: string };
}

/** A disturbance: a fault, or a process that was gone or stopped. */
interface Trouble {
  from: number;
  to: number;
  what: string;
}

/** A history, indexed for the checks. */
export type Evidence = ReturnType<typeof evidenceOf>;

/** A Get Invoice request and its answer; while there is none, it ended at Infinity. */
export type Asked = Evidence["asked"][number];

/** @throws Error when the history has no first line. */
export function evidenceOf(history: readonly Happening[]) {
  const of = <What extends Happening["what"]>(what: What) =>
    history.filter((line): line is Happening<What> & Happening => line.what === what);
  const [begun] = of("begun");
  if (begun === undefined) throw new Error("The history has no line that describes the run.");
  const answers = new Map(of("answered").map((answered) => [answered.id, answered]));
  const said = new Map(of("said").map((line) => [line.ask, line]));
  return {
    begun,
    callbacks: of("sent").map((sent) => {
      const answered = answers.get(sent.id) ?? null;
      const status = answered?.status ?? 0;
      // Whether the sender got a 2xx.
      return { sent, answered, taken: status >= 200 && status < 300 };
    }),
    asked: of("asked").map(({ ask, source, invoiceId, at }) => {
      const answer = said.get(ask);
      return {
        ...{ source, invoiceId, began: at, ended: answer?.at ?? Number.POSITIVE_INFINITY },
        ...{ status: answer?.status ?? null, retryAfterS: answer?.retryAfterS ?? null },
        ...{ invoice: answer?.invoice ?? null, end: answer?.end ?? ("open" as const) },
      };
    }),
    accepted: of("accepted").map((line) => ({ ...line, event: eventIn(line.message) })),
    became: of("became"),
    alarms: of("alarm"),
    told: of("told"),
    processes: of("process"),
    troubles: troublesOf(history),
    endedAt: history.at(-1)?.at ?? 0,
  };
}

function eventIn(message: string): SeenEvent {
  try {
    return JSON.parse(message) as SeenEvent;
  } catch {
    return {};
  }
}

/** Joins each beginning with its end; without one it lasts to the end of the run. */
function troublesOf(history: readonly Happening[]): Trouble[] {
  const troubles: Trouble[] = [];
  const open = new Map<string, Trouble>();
  const begin = (key: string, at: number, what: string) => {
    if (open.has(key)) return;
    const trouble = { from: at, to: Number.POSITIVE_INFINITY, what };
    open.set(key, trouble);
    troubles.push(trouble);
  };
  const end = (key: string, at: number) => {
    const trouble = open.get(key);
    if (trouble !== undefined) trouble.to = at;
    open.delete(key);
  };
  for (const line of history) {
    if (line.what === "fault") {
      if (line.state === "begins") begin(`fault ${line.id}`, line.at, `${line.kind} ${line.detail}`);
      else end(`fault ${line.id}`, line.at);
    }
    if (line.what === "process" && line.name.startsWith("relay")) {
      const isGone = ["killed", "stopping", "ended", "paused"].includes(line.state);
      if (isGone) begin(`process ${line.name}`, line.at, `${line.name} ${line.state}`);
      else end(`process ${line.name}`, line.at);
    }
  }
  return troubles;
}

/** The disturbances during a period that is widened by `slackMs` on both sides. */
export function troubleWithin(
  { troubles }: Evidence,
  from: number,
  to: number,
  slackMs = 0,
): Trouble | undefined {
  return troubles.find((trouble) => trouble.from <= to + slackMs && trouble.to >= from - slackMs);
}

/**
 * The first time at or after `from` that follows `calmMs` without a disturbance; Infinity if there is none.
 */
export function afterCalm({ troubles }: Evidence, from: number, calmMs: number): number {
  let began = from;
  for (const { from: start, to } of [...troubles].sort((one, other) => one.from - other.from)) {
    if (start > began + calmMs) break;
    if (to > began) began = to;
  }
  return began + calmMs;
}

/** A guarantee that did not hold, and where to look. */
export interface Finding {
  guarantee: "G1" | "G2" | "G3" | "G4" | "G5" | "G6" | "G7" | "G8" | "G10" | "G11" | "G13";
  what: string;
  /** An invoice, an event, a callback or an alarm. */
  about: string;
}

/** What a check finds: what is wrong, and what about. */
export type Findings = Generator<[what: string, about: string]>;
