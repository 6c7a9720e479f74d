import type { Decision, DecisionResult } from "../operate/decide-undelivered.ts";
import type { UndeliveredList } from "../operate/list-undelivered.ts";

/** Applies the decision to the selected items. */
export type CarryOut = (decision: Decision) => Promise<DecisionResult>;

/** The words and the decisions of one list of undelivered items. */
export interface UndeliveredWords {
  list: UndeliveredList;
  description: string;
  /** Printed when the list is empty. */
  none: string;
  what: [one: string, many: string];
  /** What brings an item back. */
  act: { name: string; description: string; done: string; run: CarryOut };
  dismiss: CarryOut;
}
