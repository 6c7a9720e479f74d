import type { HeldReplay } from "./replay.ts";

/** The result of one step of a replay; its progress is already saved. */
export type StepOutcome =
  /** This many items were processed, as the rate limit counts them. */
  | { kind: "went"; replay: HeldReplay; taken: number }
  /** Something else goes first, or a fault may pass. */
  | { kind: "waits"; why: string; ms: number; replay?: HeldReplay }
  /** Nothing is left. */
  | { kind: "ends" }
  /** It cannot continue until a person acts. */
  | { kind: "fails"; why: string };

/** The work of one kind of replay, a few items at a time. */
export interface ReplaySteps {
  /** Processes the next items of a replay, at most `most`, and saves the progress. */
  next(replay: HeldReplay, most: number): Promise<StepOutcome>;
  /** What the last step did is not saved yet: others are not let first, who would do it once more. */
  readonly isOwing?: boolean;
}
