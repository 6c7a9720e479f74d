import type { AlarmName } from "../alarms/alarms.ts";
import { shortText } from "../kit/text.ts";
import type { Answer } from "../provider/answer.ts";
import { MOST_RETRY_AFTER_MS } from "../upstreams/machine.ts";
import { anomaliesOf } from "./anomalies.ts";
import type { Changes, Raised } from "./changes.ts";
import type { Claimed } from "./claim.ts";
import { confirmedInvoice } from "./confirmed-invoice.ts";
import { endedAlarms } from "./ended-alarms.ts";
import { hasType, invoiceTypeOf } from "./invoice-type.ts";
import { classOfStatus, NEITHER_STATUS, type StatusSets } from "./invoices/status-class.ts";
import { paidEvent } from "./paid-event.ts";
import { NOT_FOUND_LADDER, nextStep, UNPAID_LADDER } from "./queue/ladder.ts";
import type { Rules } from "./rules.ts";
import type { Outcome } from "./store/outcome.ts";
import { backingOff, unanswered } from "./unanswered.ts";
import { wasPaid } from "./was-paid.ts";

type Found = Extract<Answer, { kind: "found" }>;

/**
 * The confirm policy, whole and pure: one confirmation and one answer in, everything that is written and
 * raised out. Only "unpaid", "not found" and answers that cannot be used spend steps of the ladder; a fault
 * of the whole source never ends a confirmation (G2). Paid is absorbing: a verdict `paid`, or an event, is
 * never taken back, and a Paid answer counts whatever its date says (G6).
 * @param dice from 0 to 1, for the jitter.
 */
export function judge(confirmation: Claimed, answer: Answer, rules: Rules, dice: number): Outcome {
  const { raises = [], ...changes } = changesBy(confirmation, answer, rules, dice);
  if (confirmation.erased) changes.lastAnswer = null;
  const outcome: Omit<Outcome, "raises" | "clears"> = {
    invoiceId: confirmation.invoiceId,
    source: confirmation.source,
    leaseToken: confirmation.leaseToken,
    requests: confirmation.requests,
    dueInMs: 0,
    priority: confirmation.priority,
    attempt: confirmation.attempt,
    faults: 0,
    lastError: null,
    lastAnswer: null,
    keepsEvidence: answer.kind !== "found" && changes.state !== "done",
    invoice: null,
    event: null,
    ...changes,
  };
  if (outcome.state === "dead")
    raises.push({
      name: "confirmation_dead",
      detail: `Given up after ${outcome.attempt} answers: ${outcome.lastError}.`,
    });
  return { ...outcome, raises, clears: endedAlarms(confirmation, answer, { ...outcome, raises }, rules) };
}

const ANOMALY: AlarmName = "invoice_anomaly";
const OUTSIDE_CONTRACT: AlarmName = "provider_answer_outside_contract";

function changesBy(confirmation: Claimed, answer: Answer, rules: Rules, dice: number): Changes {
  switch (answer.kind) {
    case "found":
      return found(confirmation, answer, rules, dice);
    case "not_found":
      return wasPaid(confirmation, rules)
        ? vanished(confirmation)
        : onLadder(confirmation, rules, NOT_FOUND_LADDER, dice, {
            state: "done",
            verdict: "unknown_invoice",
          });
    case "outside_contract":
      return {
        ...onLadder(confirmation, rules, UNPAID_LADDER, dice, {
          state: "dead",
          verdict: confirmation.verdict,
        }),
        lastError: answer.error,
        lastAnswer: answer.evidence,
        raises: confirmation.attempt === 0 ? [{ name: OUTSIDE_CONTRACT, detail: answer.error }] : [],
      };
    case "interrupted":
      return { state: "due", verdict: confirmation.verdict, faults: confirmation.faults };
    case "rate_limited": {
      const backsOff = backingOff(confirmation, dice);
      const dueInMs = Math.min(answer.retryAfterMs ?? backsOff.dueInMs, MOST_RETRY_AFTER_MS);
      return { ...backsOff, dueInMs, lastError: answer.error };
    }
    case "key_refused":
    case "fault":
      return unanswered(confirmation, answer.error, rules, dice);
  }
}

function found(confirmation: Claimed, answer: Found, rules: Rules, dice: number): Changes {
  const { invoice } = answer;
  const ours = !dependsOnCollection(confirmation, answer, rules) || isOurs(invoice.collectionName, rules);
  if (ours === "unclear") return ofUnclearCollection(confirmation, invoice, rules, dice);
  const known = confirmation.known ?? null;
  const before = known === null ? null : classOfStatus(known.status, rules);
  const now = classOfStatus(invoice.status, rules);
  const paidBefore = wasPaid(confirmation, rules);
  // Paid counts whatever its date, and so does the first Paid that says Live or Test.
  const confirmed = confirmedInvoice(confirmation, answer, rules.timeZone, {
    paidFirst: now === "paid" && (before !== "paid" || (hasType(invoice) && !hasType(known))),
  });
  const raises: Raised[] = anomaliesOf({
    invoice,
    now,
    known,
    before,
    paidBefore,
    hasEvent: confirmation.hasEvent === true,
    isOld: confirmed.isOld,
  }).map((detail) => ({ name: ANOMALY, detail }));
  const common = { invoice: confirmed.row, priority: "known" as const, raises };

  // An answer older than the known one (G6) becomes a snapshot, and what is known decides.
  const counts = confirmed.row.newest ? now : (before ?? now);
  if (paidBefore && now !== "paid") return { ...common, ...staysPaid(confirmation) };
  switch (counts) {
    case "paid":
      return {
        ...common,
        ...(ours
          ? paid(confirmation, answer, confirmed.row, rules, dice, raises)
          : quarantined(confirmed.row, raises)),
      };
    case "invalid":
      return { ...common, state: "done", verdict: "invalidated" };
    case "unpaid":
      return {
        ...common,
        ...onLadder(confirmation, rules, UNPAID_LADDER, dice, { state: "done", verdict: "not_paid" }),
      };
    case "unknown": {
      const { status } = confirmed.row;
      const lastError = `The provider says the status is "${shortText(status)}", which is ${NEITHER_STATUS}`;
      const isTold = confirmation.attempt > 0 && known?.status === status;
      return {
        ...common,
        raises: isTold ? raises : [...raises, { name: ANOMALY, detail: `${lastError}.` }],
        ...onLadder(confirmation, rules, UNPAID_LADDER, dice, {
          state: "dead",
          verdict: confirmation.verdict,
        }),
        lastError,
      };
    }
  }
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
function isOurs(name: string | null, { collectionNames, collectionsUnread }: Rules): boolean | "unclear" {
  if (collectionNames === null || (name !== null && collectionNames.has(name))) return true;
  return name === null || collectionsUnread === null ? false : "unclear";
}

/** This many faults in a row are some 15 s. */
const UNCLEAR_FOR_LONG = 5;

/**
 * Nothing is stored of it: it is asked again, like after any other fault, until its collection can be told.
 * Quarantine would need a person for each payment of a collection that cannot be read for a while.
 */
function ofUnclearCollection(
  confirmation: Claimed,
  { collectionName }: Found["invoice"],
  { collectionsUnread }: Rules,
  dice: number,
): Changes {
  const detail =
    `It is paid, and waits: whether its collection "${collectionName}" is in COLLECTION_IDS cannot be told ` +
    `while one of them cannot be read. ${collectionsUnread}`;
  const changes = { ...backingOff(confirmation, dice), lastError: detail };
  return changes.faults < UNCLEAR_FOR_LONG ? changes : { ...changes, raises: [{ name: ANOMALY, detail }] };
}

function quarantined({ collectionName }: NonNullable<Outcome["invoice"]>, raises: Raised[]): Changes {
  const detail = `It is paid, but its collection "${collectionName}" is not in COLLECTION_IDS.`;
  return {
    state: "done",
    verdict: "quarantined",
    lastError: detail,
    raises: [...raises, { name: "invoice_quarantined", detail }],
  };
}

function paid(
  confirmation: Claimed,
  answer: Found,
  confirmed: NonNullable<Outcome["invoice"]>,
  rules: Rules,
  dice: number,
  raises: Raised[],
): Changes {
  const { hasEvent, recordOnly } = confirmation;
  const type = invoiceTypeOf(answer.invoice.type);
  if (type === null && hasEvent !== true && !recordOnly)
    return ofUnclearType(confirmation, confirmed, rules, dice, raises);
  const event = type === null || recordOnly ? null : paidEvent(confirmation, answer, type, confirmed, rules);
  const truncated = {
    name: "event_truncated",
    detail:
      `Too ${answer.leftOut ? "intricate to be read" : "large for SNS"}: its event goes without metadata ` +
      "and beneficiaries.",
  } as const;
  return {
    state: "done",
    verdict: "paid",
    event,
    raises: event?.truncated ? [...raises, truncated] : raises,
  };
}

/**
 * Its event can be in one topic's log only, for good, and nobody can tell which: it has none, and is asked
 * again until the provider says.
 */
function ofUnclearType(
  confirmation: Claimed,
  { type }: NonNullable<Outcome["invoice"]>,
  rules: Rules,
  dice: number,
  raises: Raised[],
): Changes {
  const { known, attempt, verdict: before } = confirmation;
  const verdict = before === "paid" ? before : "pending";
  const detail =
    `It is paid, and published nowhere: its type is ${type === null ? "missing" : `"${type}"`}, neither ` +
    "Live nor Test, so its topic cannot be told. Ask the provider to correct it";
  const isTold = attempt > 0 && known != null && classOfStatus(known.status, rules) === "paid";
  return {
    ...onLadder(confirmation, rules, UNPAID_LADDER, dice, { state: "dead", verdict }),
    verdict,
    lastError: detail,
    raises: isTold ? raises : [...raises, { name: ANOMALY, detail: `${detail}.` }],
  };
}

/** What was Paid and no longer is: a person has to see what waited for its type, since it has no event. */
function staysPaid({ verdict, hasEvent }: Claimed): Changes {
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

const vanished = (confirmation: Claimed): Changes => ({
  ...staysPaid(confirmation),
  raises: [
    {
      name: ANOMALY,
      detail:
        "It was Paid and the provider now says that it does not exist. It stays paid here; ask the " +
        "provider why.",
    },
  ],
});

function onLadder(
  confirmation: Claimed,
  rules: Rules,
  ladder: readonly number[],
  dice: number,
  end: Pick<Outcome, "state" | "verdict">,
): Changes {
  const dueInMs = nextStep(ladder, confirmation.attempt, dice);
  if (dueInMs === null) return end;
  const verdict = wasPaid(confirmation, rules) ? confirmation.verdict : "pending";
  return { state: "due", verdict, dueInMs, attempt: confirmation.attempt + 1 };
}
