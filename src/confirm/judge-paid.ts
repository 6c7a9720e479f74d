import type { Answer } from "../provider/provider.ts";
import type { ConfirmedInvoice } from "./invoices/confirmed-invoice.ts";
import { classOfStatus, invoiceTypeOf, type StatusSets } from "./invoices/status-class.ts";
import { askOnLadder, backOff, type RetryContext, UNPAID_LADDER } from "./ladder.ts";
import type { Changes } from "./outcome.ts";
import { paidEvent } from "./paid-event.ts";
import type { Claimed } from "./queue/claim.ts";

export type Found = Extract<Answer, { kind: "found" }>;

/** What is judged besides the answer. */
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
  if (!dependsOnCollection(confirmation, answer, rules)) return true;
  if (collectionNames === null || (name !== null && collectionNames.has(name))) return true;
  return name === null || collectionsUnread === null ? false : "unclear";
}

/** This many faults in a row are some 15 s. */
const UNCLEAR_FOR_LONG = 5;

/**
 * Nothing is stored of it: it is asked again, like after any other fault, until its collection can be told.
 * Quarantine would need a person for each payment of a collection that cannot be read for a while.
 */
export function waitForCollection(judged: Case, { collectionName }: Found["invoice"]): Changes {
  const detail =
    `It is paid, and waits: whether its collection "${collectionName}" is in COLLECTION_IDS cannot be told ` +
    `while one of them cannot be read. ${judged.rules.collectionsUnread}`;
  const changes = { ...backOff(judged), lastError: detail };
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

export function confirmPaid(judged: Case, answer: Found, confirmed: ConfirmedInvoice): Changes {
  const { confirmation, rules } = judged;
  const { hasEvent, recordOnly } = confirmation;
  const type = invoiceTypeOf(answer.invoice.type);
  if (type === null && hasEvent !== true && !recordOnly) return waitForType(judged, confirmed);
  const event = type === null || recordOnly ? null : paidEvent(confirmation, answer, type, confirmed, rules);
  const detail = "Too large for SNS: its event goes without metadata and beneficiaries.";
  const raises = event?.truncated ? [{ name: "event_truncated" as const, detail }] : [];
  return { state: "done", verdict: "paid", event, raises };
}

/**
 * Its event can be in one topic's log only, for good, and nobody can tell which: it has none, and is asked
 * again until the provider says.
 */
function waitForType(judged: Case, { type }: ConfirmedInvoice): Changes {
  const { known, attempt, verdict: before } = judged.confirmation;
  const verdict = before === "paid" ? before : "pending";
  const detail =
    `It is paid, and published nowhere: its type is ${type === null ? "missing" : `"${type}"`}, neither ` +
    "Live nor Test, so its topic cannot be told. Ask the provider to correct it";
  const isRaised = attempt > 0 && known != null && classOfStatus(known.status, judged.rules) === "paid";
  return {
    ...askOnLadder(judged, UNPAID_LADDER, { state: "dead", verdict }),
    verdict,
    lastError: detail,
    raises: isRaised ? [] : [{ name: "invoice_anomaly", detail: `${detail}.` }],
  };
}

/** What was Paid and no longer is: a person has to see what waited for its type, since it has no event. */
export function stayPaid({ verdict, hasEvent }: Claimed): Changes {
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
