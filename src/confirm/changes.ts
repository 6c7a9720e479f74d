import type { Outcome } from "./store/outcome.ts";

export type Raised = Outcome["raises"][number];

/** What changes of a confirmation by its answer; the rest stays. */
export type Changes = Pick<Outcome, "state" | "verdict"> &
  Partial<Omit<Outcome, "raises">> & { raises?: Raised[] };
