import { shortTime } from "../kit/time.ts";

/** The only meanings of colours: done, held back, a person is needed, under way, neither. */
export type Tone = "good" | "wait" | "bad" | "move" | "plain";

/** The states, verdicts, results and weights that the relay names, by their colour; all else is plain. */
const OF_TONE: Readonly<Partial<Record<Tone, readonly string[]>>> = {
  good: ["paid", "published", "done", "on", "closed", "equal"],
  move: ["pending", "due", "claimed", "running", "half_open"],
  wait: ["quarantined", "held", "paused", "backing_off", "unreadable", "differs", "difference", "warning"],
  bad: ["refused", "dead", "lost", "failed", "missing", "gap", "amount_differs", "not_equal", "critical"],
};

/** Where another word than its own says it better. */
const WORDS: Readonly<Record<string, string>> = {
  closed: "working",
  pending: "being confirmed",
  due: "waiting",
  claimed: "under way",
  half_open: "being tried",
  quarantined: "in quarantine",
  dead: "dead letter",
  cancelled: "stopped",
};

/** Where the payments are that no answer covers yet. */
export const BEING_CONFIRMED = "payments?verdict=pending";

export const toneOf = (state: string): Tone =>
  (Object.keys(OF_TONE) as Tone[]).find((tone) => OF_TONE[tone]?.includes(state)) ?? "plain";
export const wordOf = (state: string): string => WORDS[state] ?? state.replaceAll("_", " ");

/** A text of the relay's with its times, which it says in UTC, as they are shown here. */
export const sayHere = (text: string): string =>
  text.replaceAll(/(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/g, (_, day, clock) =>
    shortTime(new Date(`${day}T${clock}Z`)),
  );
