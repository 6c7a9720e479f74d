import type { Decision, DecisionResult } from "../operate/decide-undelivered.ts";
import type { UndeliveredList } from "../operate/list-undelivered.ts";

/** Carries out what was decided about the selected ones. */
export type CarryOut = (decision: Decision) => Promise<DecisionResult>;

/** How one list of what was not delivered is called and decided about. */
export interface UndeliveredWords {
  list: UndeliveredList;
  description: string;
  /** Said when the list is empty. */
  none: string;
  what: [one: string, many: string];
  /** What brings an item back. */
  act: { name: string; description: string; done: string; run: CarryOut };
  dismiss: CarryOut;
}
