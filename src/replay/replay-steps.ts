import type { HeldReplay } from "./replay.ts";

/** What one step of a replay came to; its progress is saved by then. */
export type StepOutcome =
  /** So many were taken, as the rate counts them. */
  | { kind: "went"; replay: HeldReplay; taken: number }
  /** Something else goes first, or a fault passes by itself. */
  | { kind: "waits"; why: string; ms: number; replay?: HeldReplay }
  /** There is no more. */
  | { kind: "ends" }
  /** It cannot go on until a person has done something. */
  | { kind: "fails"; why: string };

/** What a replay does, a few at a time. */
export interface ReplaySteps {
  /** Takes the next few of one replay, at most `most`, and saves how far it came. */
  next(replay: HeldReplay, most: number): Promise<StepOutcome>;
}
