import type { AlarmName } from "../../platform/alarms/index.ts";
import { backOffMs } from "../../platform/process/index.ts";
import { RETRY_AFTER_LIMIT_MS } from "../../platform/upstreams/index.ts";
import { shortText } from "../../platform/values/index.ts";
import type { Answer, Found } from "../../provider/index.ts";
import { anomaliesOf } from "./anomalies.ts";
import {
  type ConfirmedInvoice,
  classOfStatus,
  hasType,
  invoiceTypeOf,
  makeInvoiceRow,
  NEITHER_STATUS,
  type Rules,
  type StatusSets,
} from "./invoices/confirmed-invoice.ts";
import { type NewEvent, paidEvent } from "./paid-event.ts";
import type { Claimed } from "./queue/claim.ts";
import type { ConfirmationKey, Priority, Verdict } from "./queue/confirmation.ts";

/** Everything that follows from one answer, written in one transaction (answer-statement.ts). */
export interface Outcome extends ConfirmationKey {
  /** Written only while this is still the row's lease (G6). */
  leaseToken: string;
  /** The value of `requests` at the claim; a higher count since then means another request. */
  requests: number;
  state: "due" | "done" | "dead";
  verdict: Verdict | null;
  /** For `due`: when it is asked again, in ms from now. */
  dueInMs: number;
  priority: Priority;
  attempt: number;
  faults: number;
  /** It answers what was requested before it: an age counts from later requests only. */
  covered: boolean;
  lastError: string | null;
  /** Evidence of an answer outside the contract. */
  lastAnswer: string | null;
  /** Without new evidence, that of an earlier answer stays: this one was no better. */
  keepsEvidence: boolean;
  invoice: ConfirmedInvoice | null;
  event: NewEvent | null;
  /** Alarms about the invoice. */
  raises: readonly RaisedAlarm[];
  clears: readonly AlarmName[];
}

interface RaisedAlarm {
  name: AlarmName;
  detail: string;
}

/** The changes that an answer makes to a confirmation; the rest stays. */
export type Changes = Pick<Outcome, "state" | "verdict"> &
  Partial<Omit<Outcome, "raises">> & { raises?: RaisedAlarm[] };

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

const JITTER = 0.1;

const UP_TO_TEN_MINUTES = [2 * SECOND, 10 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE];

/** Every retry schedule: when an invoice is asked for again, in ms from the answer before. */
const RETRY_SCHEDULES = {
  unpaid: [...UP_TO_TEN_MINUTES, HOUR, 6 * HOUR, 24 * HOUR],
  /** The provider does not know the id. */
  notFound: UP_TO_TEN_MINUTES,
} as const satisfies Record<string, readonly number[]>;

/** After a fault no step is spent. No longer than the source's own: once that is tried again, one is due. */
const FAULT_BACK_OFF = { firstMs: SECOND, capMs: 10 * SECOND };

/** The facts that set when a confirmation is asked again. */
interface RetryContext {
  confirmation: Pick<Outcome, "verdict" | "attempt" | "faults">;
  paidBefore: boolean;
  rules: Rules;
  /** From 0 to 1; moves a wait by up to a tenth either way, so that a burst does not stay one. */
  jitter: number;
}

/** Asked again after the schedule's next wait. @param end what becomes of it once the schedule has ended */
function retryOn(
  schedule: keyof typeof RETRY_SCHEDULES,
  { confirmation, paidBefore, jitter }: RetryContext,
  end: Pick<Outcome, "state" | "verdict">,
): Changes {
  const step = RETRY_SCHEDULES[schedule][confirmation.attempt];
  if (step === undefined) return end;
  return {
    state: "due",
    verdict: paidBefore ? confirmation.verdict : "pending",
    dueInMs: Math.round(step * (1 + JITTER * (2 * jitter - 1))),
    attempt: confirmation.attempt + 1,
  };
}

/** Asked again after a while, and no wait of a schedule is spent. */
export function backOff({ confirmation: { verdict, faults }, jitter }: RetryContext) {
  const dueInMs = backOffMs(faults + 1, FAULT_BACK_OFF, jitter);
  return { state: "due", verdict, faults: faults + 1, dueInMs } as const;
}

/** So many faults in a row of one invoice, some three minutes, raise an alarm while others are answered. */
export const ALARMING_FAULTS = 20;

/** So many more, some ten minutes, raise it again. */
const ALARMING_AGAIN = 60;

/** A fault of the source has an alarm of its own; one of this invoice alone would wait unseen (G2). */
function backOffUnanswered(tried: RetryContext, error: string): Changes {
  const changes = { ...backOff(tried), lastError: error };
  const isAlarming = changes.faults % ALARMING_AGAIN === ALARMING_FAULTS;
  if (!isAlarming || !tried.rules.othersAreAnswered) return changes;
  const detail =
    `It gets no usable answer, while the provider answers about others: ${error}. It is still being asked ` +
    "for; ask the provider why.";
  return { ...changes, raises: [{ name: "invoice_unanswered", detail }] };
}

const ANOMALY: AlarmName = "invoice_anomaly";
const OUTSIDE_CONTRACT: AlarmName = "provider_answer_outside_contract";

/**
 * The confirm policy, whole and pure: takes one confirmation and one answer, returns everything that is
 * written and raised. Only "unpaid", "not found" and unusable answers spend a wait of their schedule; a fault
 * of the whole source never ends a confirmation (it ends in a verdict, G2). Paid is absorbing: a verdict
 * `paid`, or an event, is never revoked, and a Paid answer counts under any date (newer wins, G6).
 * @param jitter from 0 to 1: the position of the wait within its spread.
 */
export function decide(confirmation: Claimed, answer: Answer, rules: Rules, jitter: number): Outcome {
  const current = { confirmation, rules, jitter, paidBefore: wasPaid(confirmation, rules) };
  const { raises = [], ...changes } = decideAnswer(current, answer);
  if (confirmation.erased) changes.lastAnswer = null;
  const outcome: Omit<Outcome, "clears"> = {
    invoiceId: confirmation.invoiceId,
    source: confirmation.source,
    leaseToken: confirmation.leaseToken,
    requests: confirmation.requests,
    dueInMs: 0,
    priority: confirmation.priority,
    attempt: confirmation.attempt,
    faults: 0,
    covered: isCovered(answer, changes),
    lastError: null,
    lastAnswer: null,
    keepsEvidence: answer.kind !== "found" && changes.state !== "done",
    invoice: null,
    event: null,
    ...changes,
    raises,
  };
  if (outcome.state === "dead")
    raises.push({
      name: "confirmation_dead",
      detail: `Given up after ${outcome.attempt} answers: ${outcome.lastError}.`,
    });
  return { ...outcome, clears: endedAlarms(current, answer, outcome) };
}

/**
 * Unpaid and not found are answers like any other, though they are asked for again. A fault is not, nor is a
 * payment that waits for its collection's name.
 */
const isCovered = (answer: Answer, { state, attempt }: Changes): boolean =>
  state !== "due" || (attempt !== undefined && answer.kind !== "outside_contract");

/** Its verdict, its event or the stored answer says so: any one of them is enough. */
const wasPaid = ({ verdict, hasEvent, known }: Claimed, rules: Rules): boolean =>
  verdict === "paid" || hasEvent === true || (known != null && classOfStatus(known.status, rules) === "paid");

function decideAnswer(current: Case, answer: Answer): Changes {
  const { confirmation, paidBefore } = current;
  const { verdict, attempt, faults } = confirmation;
  switch (answer.kind) {
    case "found":
      return decideFound(current, answer);
    case "not_found":
      return paidBefore
        ? { ...stayPaid(confirmation), raises: [{ name: ANOMALY, detail: VANISHED }] }
        : retryOn("notFound", current, { state: "done", verdict: "unknown_invoice" });
    case "outside_contract":
      return {
        ...retryOn("unpaid", current, { state: "dead", verdict }),
        lastError: answer.error,
        lastAnswer: answer.evidence,
        raises: attempt === 0 ? [{ name: OUTSIDE_CONTRACT, detail: answer.error }] : [],
      };
    case "interrupted":
      return { state: "due", verdict, faults };
    case "rate_limited": {
      const backsOff = backOff(current);
      const dueInMs = Math.min(answer.retryAfterMs ?? backsOff.dueInMs, RETRY_AFTER_LIMIT_MS);
      return { ...backsOff, dueInMs, lastError: answer.error };
    }
    case "key_refused":
    case "fault":
      return backOffUnanswered(current, answer.error);
  }
}

const VANISHED =
  "It was Paid and the provider now says that it does not exist. It stays paid here; ask the provider why.";

function decideFound(current: Case, answer: Found): Changes {
  const { confirmation, rules, paidBefore } = current;
  const { invoice, document } = answer;
  const ours = isOurs(current, answer);
  if (ours === "unclear") return waitForCollection(current, invoice);
  const known = confirmation.known ?? null;
  const before = known === null ? null : classOfStatus(known.status, rules);
  const now = classOfStatus(invoice.status, rules);
  // Paid counts under any date, and so does the first Paid that says Live or Test.
  const { row, isOld } = makeInvoiceRow(confirmation, answer, rules.timeZone, {
    paidFirst: now === "paid" && (before !== "paid" || (hasType(invoice) && !hasType(known))),
  });
  const hasEvent = confirmation.hasEvent === true;
  const facts = { invoice, document, now, known, before, paidBefore, hasEvent, isOld, confirmed: row };
  const anomalies = anomaliesOf({ ...facts, currency: rules.currency });

  const decide = (): Changes => {
    if (paidBefore && now !== "paid") return stayPaid(confirmation);
    // An answer older than the known one (G6) becomes a snapshot, and what is known decides.
    switch (row.newest ? now : (before ?? now)) {
      case "paid":
        return ours ? confirmPaid(current, answer, row) : quarantine(row);
      case "invalid":
        return { state: "done", verdict: "invalidated" };
      case "unpaid":
        return retryOn("unpaid", current, { state: "done", verdict: "not_paid" });
      case "unknown":
        return decideUnknownStatus(current, row.status);
    }
  };
  const { raises = [], ...changes } = decide();
  return {
    invoice: row,
    priority: "known",
    ...changes,
    raises: [...anomalies.map((detail) => ({ name: ANOMALY, detail })), ...raises],
  };
}

function decideUnknownStatus(current: Case, status: string): Changes {
  const { attempt, known, verdict } = current.confirmation;
  const lastError = `The provider says the status is "${shortText(status)}", which is ${NEITHER_STATUS}`;
  const isRaised = attempt > 0 && known?.status === status;
  return {
    ...retryOn("unpaid", current, { state: "dead", verdict }),
    lastError,
    raises: isRaised ? [] : [{ name: ANOMALY, detail: `${lastError}.` }],
  };
}

/**
 * The alarms about an invoice that end with this outcome: only those that an earlier outcome may have raised,
 * even if its evidence has changed since.
 */
function endedAlarms(
  { confirmation, rules, paidBefore }: Case,
  answer: Answer,
  { state, verdict, raises }: Pick<Outcome, "state" | "verdict" | "raises">,
): AlarmName[] {
  const { requests, attempt, faults } = confirmation;
  const wasDone = requests > 1;
  const wasAsked = wasDone || attempt > 0 || faults > 0;
  const isDone = state === "done";
  const isUsable = ["found", "not_found", "outside_contract"].includes(answer.kind);
  const ended: AlarmName[] = faults >= ALARMING_FAULTS && isUsable ? ["invoice_unanswered"] : [];
  if (wasAsked && (isDone || answer.kind === "found")) ended.push(OUTSIDE_CONTRACT);
  if (!isDone) return ended;
  if (wasDone) ended.push("confirmation_dead");
  if (wasDone && verdict !== "quarantined") ended.push("invoice_quarantined");
  // Nothing is odd about the answer, and what was paid is Paid.
  const isInOrder =
    answer.kind === "found" &&
    !raises.some(({ name }) => name === ANOMALY) &&
    (!paidBefore || classOfStatus(answer.invoice.status, rules) === "paid");
  if (wasAsked && isInOrder) ended.push(ANOMALY);
  return ended;
}

/** The facts beside the answer that the decision needs. */
export interface Case extends RetryContext {
  confirmation: Claimed;
}

/** Whether it is published depends on whose it is: it is Paid, and neither released nor published before. */
export const dependsOnCollection = (
  { released, hasEvent }: Claimed,
  answer: Answer,
  rules: StatusSets,
): answer is Found =>
  answer.kind === "found" &&
  !released &&
  hasEvent !== true &&
  classOfStatus(answer.invoice.status, rules) === "paid";

/** "unclear" while a collection of ours cannot be read: it may be that one's. */
export function isOurs({ confirmation, rules }: Case, answer: Found): boolean | "unclear" {
  const { collectionNames, collectionsUnread } = rules;
  const name = answer.invoice.collectionName;
  if (collectionNames === null || !dependsOnCollection(confirmation, answer, rules)) return true;
  if (name === null) return false;
  if (collectionNames.has(name)) return true;
  return collectionsUnread === null ? false : "unclear";
}

/** This many faults in a row are some 15 s. */
const UNCLEAR_FOR_LONG = 5;

/**
 * Its answer is not stored: the invoice is asked about again, as after any other fault, until its collection
 * is known. Quarantine would need a person for each payment of a collection that cannot be read for a while.
 */
function waitForCollection(current: Case, { collectionName }: Found["invoice"]): Changes {
  const detail =
    `It is paid, and waits: its collection "${collectionName}" cannot be compared with COLLECTION_IDS ` +
    `while one of them cannot be read. ${current.rules.collectionsUnread}`;
  const changes = { ...backOff(current), lastError: detail };
  return changes.faults < UNCLEAR_FOR_LONG
    ? changes
    : { ...changes, raises: [{ name: "invoice_anomaly", detail }] };
}

export function quarantine({ collectionName }: ConfirmedInvoice): Changes {
  const detail = `It is paid, but its collection "${collectionName}" is not in COLLECTION_IDS.`;
  return {
    state: "done",
    verdict: "quarantined",
    lastError: detail,
    raises: [{ name: "invoice_quarantined", detail }],
  };
}

function confirmPaid(current: Case, answer: Found, confirmed: ConfirmedInvoice): Changes {
  const { confirmation, rules } = current;
  const { hasEvent, recordOnly } = confirmation;
  const type = invoiceTypeOf(answer.invoice.type);
  if (type === null && hasEvent !== true && !recordOnly) return waitForType(current, confirmed);
  const event = type === null || recordOnly ? null : paidEvent(confirmation, answer, type, confirmed, rules);
  const detail =
    `Too ${answer.leftOut ? "intricate to be read" : "large for SNS"}: its event goes without metadata ` +
    "and beneficiaries.";
  const raises = event?.truncated ? [{ name: "event_truncated" as const, detail }] : [];
  return { state: "done", verdict: "paid", event, raises };
}

/**
 * An event belongs in one topic's log for good. While the type does not show which topic, the invoice gets no
 * event and is asked about again.
 */
function waitForType(current: Case, { type }: ConfirmedInvoice): Changes {
  const { known, attempt, verdict: before } = current.confirmation;
  const verdict = before === "paid" ? before : "pending";
  const detail =
    `It is paid, and published nowhere: its type is ${type === null ? "missing" : `"${type}"`}, neither ` +
    "Live nor Test, so its topic is unknown. Ask the provider to correct it";
  const isRaised = attempt > 0 && known != null && classOfStatus(known.status, current.rules) === "paid";
  return {
    ...retryOn("unpaid", current, { state: "dead", verdict }),
    verdict,
    lastError: detail,
    raises: isRaised ? [] : [{ name: "invoice_anomaly", detail: `${detail}.` }],
  };
}

/**
 * Keeps an invoice that was Paid and no longer is. If it waited for its type, it has no event, so a person
 * must see it.
 */
function stayPaid({ verdict, hasEvent }: Claimed): Changes {
  if (hasEvent === true || (verdict !== "quarantined" && verdict !== "pending"))
    return { state: "done", verdict: "paid" };
  return verdict === "quarantined"
    ? { state: "done", verdict }
    : {
        state: "dead",
        verdict,
        lastError: "It was paid, of no clear type, and no longer is: nothing is published",
      };
}
