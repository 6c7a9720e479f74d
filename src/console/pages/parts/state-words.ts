/** What a colour says, and nothing else has one: done, held back, a person is needed, under way, neither. */
export type Tone = "good" | "wait" | "bad" | "move" | "plain";

const TONES: Record<string, Tone> = {
  paid: "good",
  published: "good",
  equal: "good",
  done: "good",
  closed: "good",
  pending: "move",
  due: "move",
  claimed: "move",
  running: "move",
  half_open: "move",
  quarantined: "wait",
  held: "wait",
  paused: "wait",
  backing_off: "wait",
  cancelled: "plain",
  not_paid: "plain",
  invalidated: "plain",
  ping: "plain",
  unknown_invoice: "plain",
  unreadable: "wait",
  refused: "bad",
  dead: "bad",
  lost: "bad",
  failed: "bad",
  not_equal: "bad",
};

const WORDS: Record<string, string> = {
  pending: "being confirmed",
  quarantined: "in quarantine",
  not_paid: "not paid",
  unknown_invoice: "unknown invoice",
  due: "waiting",
  claimed: "under way",
  dead: "dead letter",
  half_open: "being tried",
  backing_off: "backing off",
  closed: "working",
  not_equal: "not equal",
};

export const toneOf = (state: string): Tone => TONES[state] ?? "plain";
export const wordOf = (state: string): string => WORDS[state] ?? state.replaceAll("_", " ");
