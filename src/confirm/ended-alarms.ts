import type { AlarmName } from "../alarms/alarms.ts";
import type { Answer } from "../provider/answer.ts";
import type { Claimed } from "./claim.ts";
import { classOfStatus } from "./invoices/status-class.ts";
import { FAULTS_TOLD, type Rules } from "./rules.ts";
import type { Outcome } from "./store/outcome.ts";
import { wasPaid } from "./was-paid.ts";

/**
 * The alarms about an invoice that are over with this outcome: only those that an earlier one may have
 * raised, whatever has become of its evidence since. Pure.
 */
export function endedAlarms(
  confirmation: Claimed,
  answer: Answer,
  { state, verdict, raises }: Pick<Outcome, "state" | "verdict" | "raises">,
  rules: Rules,
): AlarmName[] {
  const { requests, attempt, faults } = confirmation;
  const wasDone = requests > 1;
  const wasAsked = wasDone || attempt > 0 || faults > 0;
  const isDone = state === "done";
  const ended: AlarmName[] = faults >= FAULTS_TOLD && isUsable(answer) ? ["invoice_unanswered"] : [];
  if (wasAsked && (isDone || answer.kind === "found")) ended.push("provider_answer_outside_contract");
  if (!isDone) return ended;
  if (wasDone) ended.push("confirmation_dead");
  if (wasDone && verdict !== "quarantined") ended.push("invoice_quarantined");
  if (wasAsked && isInOrder(confirmation, answer, raises, rules)) ended.push("invoice_anomaly");
  return ended;
}

const isUsable = ({ kind }: Answer): boolean =>
  kind === "found" || kind === "not_found" || kind === "outside_contract";

/** Nothing is odd about the answer, and what was paid is Paid. */
const isInOrder = (confirmation: Claimed, answer: Answer, raises: Outcome["raises"], rules: Rules): boolean =>
  answer.kind === "found" &&
  !raises.some(({ name }) => name === "invoice_anomaly") &&
  (!wasPaid(confirmation, rules) || classOfStatus(answer.invoice.status, rules) === "paid");
