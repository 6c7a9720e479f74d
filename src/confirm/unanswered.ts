import { backOffMs } from "../kit/waiting.ts";
import type { Changes } from "./changes.ts";
import type { Claimed } from "./claim.ts";
import { FAULT_BACK_OFF } from "./queue/ladder.ts";
import { FAULTS_TOLD, type Rules } from "./rules.ts";

/** It is asked for again, and no step of the ladder is spent. @param dice from 0 to 1, for the jitter. */
export const backingOff = (confirmation: Claimed, dice: number) => ({
  state: "due" as const,
  verdict: confirmation.verdict,
  faults: confirmation.faults + 1,
  dueInMs: backOffMs(confirmation.faults + 1, FAULT_BACK_OFF, dice),
});

/** So many faults, some ten minutes, lie between two tellings. */
const TOLD_AGAIN = 60;

/** A fault of the source has an alarm of its own; one of this invoice alone would wait unseen (G2). */
export function unanswered(confirmation: Claimed, error: string, rules: Rules, dice: number): Changes {
  const changes = { ...backingOff(confirmation, dice), lastError: error };
  const isTold = changes.faults % TOLD_AGAIN === FAULTS_TOLD;
  if (!isTold || !rules.othersAreAnswered) return changes;
  const detail =
    `It is asked for again and again in vain, while the provider answers about others: ${error}. It goes ` +
    "on being asked for; ask the provider why.";
  return { ...changes, raises: [{ name: "invoice_unanswered", detail }] };
}
