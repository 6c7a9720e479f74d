import { NEITHER_STATUS } from "../../confirm/index.ts";
import { type Correction, correctionsOf, totalsAgree } from "./event-answer.ts";
import type { PaymentFacts } from "./payment-facts.ts";

type Detail = string | ((facts: PaymentFacts) => string);

const wordsOf = <Name extends string>(details: Record<Name, Detail>) => details;

/** Every reason why a payment is not the same in all three places, in plain words, without personal data. */
const DETAILS = wordsOf({
  // Paid at the provider, but not accepted on the right topic:
  missing: "no callback named it and no sweep has found it yet",
  not_confirmed: ({ lastError }) => `the provider has not confirmed it yet${because(lastError)}`,
  dead: (facts) => `its confirmation is a dead letter${because(facts.lastError)}${dismissed(facts)}`,
  quarantined: (facts) => `quarantined${because(facts.lastError)}${dismissed(facts)}`,
  not_paid: ({ verdict }) => `the list says paid, but Get Invoice said ${saidInstead(verdict)}`,
  recorded_only: "recorded only: found by reconcile without --publish",
  before_start: "paid before the relay first served this source, and not published",
  event_missing: "confirmed as paid, but its event is missing",
  unpublished: ({ outboxError }) => `its event is waiting to be published${because(outboxError)}`,
  event_dead: (facts) => `SNS refused its event${because(facts.outboxError)}${dismissed(facts)}`,
  held: "its event is held as a Test invoice's, and the provider does not say that it is one",
  wrong_topic: ({ acceptedElsewhere }) =>
    `its event was accepted on ${acceptedElsewhere ?? "the live topic"}, which is not its topic today`,
  no_acceptance: "its event is not queued, and no acceptance by SNS is stored",
  // Other differences that could hide money:
  amount_differs(facts) {
    const { listedAmount, askedAmount, amounts, inPayload } = facts;
    const totals = `; the stored total is ${amounts?.totalAmount}, in the event ${inPayload?.totalAmount}`;
    return (
      `the list says ${listedAmount ?? "nothing"}, Get Invoice ${askedAmount ?? "was not asked"}, stored is ` +
      `${amounts?.amount ?? "nothing"}, in the event ${inPayload?.amount ?? "nothing"}` +
      (totalsAgree(facts) ? "" : totals)
    );
  },
  books_differ: ({ eventAnswers, eventId }) =>
    eventAnswers === null && eventId !== null
      ? "the answer that its event was made from is gone, and the event differs from the newest one"
      : "columns and event contradict the provider's answers that they were made from: something was " +
        "edited by hand",
  payload_differs: "the event in the log is not the one that SNS accepted",
  digest_missing: "no digest of what SNS accepted is stored",
  invoice_missing: "published, but the confirmed invoice is gone",
  not_at_provider: ({ asked, askedStatus }) => `stored as paid, but ${saidNow(asked, askedStatus)}`,
  status_unknown: ({ asked, askedStatus, status }) =>
    asked === "unknown"
      ? `Get Invoice says "${askedStatus}", which is ${NEITHER_STATUS}`
      : `stored as ${status ?? "nothing"}, and the provider's answer cannot be read`,
  confirmation_missing: "its confirmation is gone",
  verdict_differs: ({ verdict }) => `published, but its confirmation's verdict is ${verdict ?? "missing"}`,
  event_without_payment: "it has an event, but is not paid, neither at the provider nor in the store",
  // Without a payment: the code that finds it adds the words.
  acceptance_without_event: "",
  // Only named:
  callback_missing: "the callback that opened it is gone from the log",
  undated: "neither the list nor the confirmed answer has a time of payment that can be true",
  future: "its time of payment is in the future",
  counted_by_asking: "the list leaves it out, but Get Invoice says it is paid",
  type_changed: ({ askedType, type, eventType }) =>
    `the provider has named another type since: it is ${askedType ?? type ?? "none"} now, and its event was ` +
    `accepted on the live topic as ${eventType}`,
  /** The provider has changed dates or charges since the event was made. */
  corrected: (facts) =>
    `the provider has changed it since its event was made: ${correctionsOf(facts).map(inWords).join(", ")}`,
  test: "a Test invoice",
  /** Of a collection that is not ours: a note after a person's decision, a difference until then. */
  foreign: (facts) =>
    `of "${facts.askedCollection ?? facts.collectionName ?? ""}", which is not in COLLECTION_IDS: ${decisionOn(facts)}`,
});

export type Reason = keyof typeof DETAILS;

export function detailOf(reason: Reason, facts: PaymentFacts): string {
  const detail = DETAILS[reason];
  return typeof detail === "string" ? detail : detail(facts);
}

const because = (error: string | null) => (error ? `: ${error}` : "");

const dismissed = ({ dismissedBy }: PaymentFacts) =>
  dismissedBy === null ? "" : `; dismissed by ${dismissedBy}`;

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
  return verdict === "quarantined" ? "in quarantine; dismiss it, unless it is yours" : "not decided yet";
}

const INSTEAD: Readonly<Record<string, string>> = {
  not_paid: "unpaid at every check",
  invalidated: "invalid",
  unknown_invoice: "that it does not exist",
};

const saidInstead = (verdict: string | null): string => INSTEAD[verdict ?? ""] ?? "something else";
