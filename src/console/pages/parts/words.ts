/** What a colour says, and nothing else has one: done, held back, a person is needed, under way, neither. */
export type Tone = "good" | "wait" | "bad" | "move" | "plain";

/** Each state, verdict, result and weight that the relay names: its colour, and its word where it has another. */
const STATES: Readonly<Record<string, readonly [tone: Tone, word?: string]>> = {
  paid: ["good"],
  published: ["good"],
  done: ["good"],
  on: ["good"],
  closed: ["good", "working"],
  equal: ["good"],
  pending: ["move", "being confirmed"],
  due: ["move", "waiting"],
  claimed: ["move", "under way"],
  running: ["move"],
  half_open: ["move", "being tried"],
  quarantined: ["wait", "in quarantine"],
  held: ["wait"],
  paused: ["wait"],
  backing_off: ["wait"],
  unreadable: ["wait"],
  differs: ["wait"],
  difference: ["wait"],
  refused: ["bad"],
  dead: ["bad", "dead letter"],
  lost: ["bad"],
  failed: ["bad"],
  missing: ["bad"],
  gap: ["bad"],
  amount_differs: ["bad"],
  not_equal: ["bad"],
  cancelled: ["plain", "stopped"],
};

export const toneOf = (state: string): Tone => STATES[state]?.[0] ?? "plain";
export const wordOf = (state: string): string => STATES[state]?.[1] ?? state.replaceAll("_", " ");
