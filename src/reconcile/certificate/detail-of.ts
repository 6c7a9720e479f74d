import { NEITHER_STATUS } from "../../confirm/invoices/status-class.ts";
import type { Reason } from "./certificate.ts";
import { type Correction, correctionsOf, totalsAgree } from "./event-answer.ts";
import type { PaymentFacts } from "./payment-facts.ts";

const because = (error: string | null) => (error ? `: ${error}` : "");

export function detailOf(reason: Reason, facts: PaymentFacts): string {
  const { lastError, outboxError, verdict, amounts, inPayload, asked, askedStatus, dismissedBy } = facts;
  const dismissed = dismissedBy === null ? "" : `; dismissed by ${dismissedBy}`;
  switch (reason) {
    case "missing":
      return "no callback named it and no sweep has found it yet";
    case "not_confirmed":
      return `the provider has not confirmed it yet${because(lastError)}`;
    case "dead":
      return `its confirmation is a dead letter${because(lastError)}${dismissed}`;
    case "quarantined":
      return `quarantined${because(lastError)}${dismissed}`;
    case "not_paid":
      return `the list says paid, but Get Invoice said ${saidInstead(verdict)}`;
    case "recorded_only":
      return "recorded only: found by reconcile without --publish";
    case "before_start":
      return "paid before the relay first served this source, and not published";
    case "event_missing":
      return "confirmed as paid, but its event is missing";
    case "unpublished":
      return `its event is waiting to be published${because(outboxError)}`;
    case "event_dead":
      return `SNS refused its event${because(outboxError)}${dismissed}`;
    case "held":
      return "its event is held as a Test invoice's, and the provider does not say that it is one";
    case "wrong_topic":
      return (
        `its event was accepted on ${facts.acceptedElsewhere ?? "the live topic"}, which is not its ` +
        "topic today"
      );
    case "no_acceptance":
      return "its event is not queued, and no acceptance by SNS is stored";
    case "amount_differs":
      return (
        `the list says ${facts.listedAmount ?? "nothing"}, Get Invoice ` +
        `${facts.askedAmount ?? "was not asked"}, stored is ${amounts?.amount ?? "nothing"}, in the ` +
        `event ${inPayload?.amount ?? "nothing"}` +
        (totalsAgree(facts)
          ? ""
          : `; the stored total is ${amounts?.totalAmount}, in the event ${inPayload?.totalAmount}`)
      );
    case "books_differ":
      return facts.eventAnswers === null && facts.eventId !== null
        ? "the answer that its event was made from is gone, and the event differs from the newest one"
        : "columns and event contradict the provider's answers that they were made from: something was " +
            "edited by hand";
    case "payload_differs":
      return "the event in the log is not the one that SNS accepted";
    case "digest_missing":
      return "no digest of what SNS accepted is stored";
    case "invoice_missing":
      return "published, but the confirmed invoice is gone";
    case "not_at_provider":
      return `stored as paid, but ${saidNow(asked, askedStatus)}`;
    case "status_unknown":
      return asked === "unknown"
        ? `Get Invoice says "${askedStatus}", which is ${NEITHER_STATUS}`
        : "stored as paid, but the provider's answer cannot be read";
    case "confirmation_missing":
      return "its confirmation is gone";
    case "verdict_differs":
      return `published, but its confirmation's verdict is ${verdict ?? "missing"}`;
    case "event_without_payment":
      return "it has an event, but is not paid, neither at the provider nor in the store";
    case "callback_missing":
      return "the callback that opened it is gone from the log";
    case "undated":
      return "neither the list nor the confirmed answer has a time of payment that can be true";
    case "future":
      return "its time of payment is in the future";
    case "counted_by_asking":
      return "the list leaves it out, but Get Invoice says it is paid";
    case "type_changed":
      return (
        `the provider has named another type since: it is ${facts.askedType ?? facts.type ?? "none"} ` +
        `now, and its event was accepted on the live topic as ${facts.eventType}`
      );
    case "corrected":
      return (
        "the provider has changed it since its event was made: " +
        correctionsOf(facts).map(inWords).join(", ")
      );
    case "test":
      return "a Test invoice";
    case "foreign":
      return `of "${facts.askedCollection ?? facts.collectionName ?? ""}", which is not in COLLECTION_IDS: ${decisionOn(facts)}`;
    case "acceptance_without_event":
    case "id_unusable":
      return "";
  }
}

const inWords = ({ field, was, is }: Correction): string =>
  `${field} was ${was ?? "missing"} and is ${is ?? "missing"}`;

function saidNow(asked: PaymentFacts["asked"], status: string | null): string {
  if (asked === "not_found") return "the provider says that it does not exist";
  if (asked === "not_paid") return `Get Invoice says ${status ?? "something else"}`;
  return "the provider's list does not show it";
}

function decisionOn({ dismissedBy, accepted, released, verdict }: PaymentFacts): string {
  if (dismissedBy !== null) return `dismissed by ${dismissedBy}`;
  if (accepted) return released ? "released and published" : "published";
  if (released) return "released, and not published yet";
  return verdict === "quarantined" ? "in quarantine; dismiss it, unless it is yours" : "nobody has decided";
}

function saidInstead(verdict: string | null): string {
  switch (verdict) {
    case "not_paid":
      return "unpaid at every check";
    case "invalidated":
      return "invalid";
    case "unknown_invoice":
      return "that it does not exist";
    default:
      return "something else";
  }
}
