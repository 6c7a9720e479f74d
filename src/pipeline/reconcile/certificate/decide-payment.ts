import { type BookPeriod, bookDayOf, DAY_MS } from "../../../platform/values/index.ts";
import { type Money, moneyOf } from "../../../provider/index.ts";
import { classOfStatus, plainStatus, type StatusSets } from "../../confirm/index.ts";
import { possibleCreation, possiblePayment } from "../list/list-dates.ts";
import type { Difference, Weight } from "./certificate.ts";
import { detailOf, type Reason } from "./detail-of.ts";
import {
  booksAgree,
  correctionsOf,
  isFromItsAnswer,
  isSameMoney,
  totalsAgree,
  typeHasChanged,
} from "./event-answer.ts";
import type { PaymentFacts } from "./payment-facts.ts";

export interface Terms extends StatusSets, DayTerms {
  firstServedAt: Date | null;
  /** The names of the source's collections. */
  ownCollections: ReadonlySet<string>;
  /** Each of them is known: any other is not ours. */
  namesAreKnown: boolean;
}

export interface PaymentDecision {
  day: string;
  isLive: boolean;
  /** Of a collection that is not ours: it counts nowhere, and is listed apart. */
  isForeign: boolean;
  paid: Money | null;
  stored: Money | null;
  published: Money | null;
  differences: Difference[];
}

/**
 * Compares one payment with the lists, Get Invoice and the relay's books. Pure. It counts on the day of
 * payment of the confirmed answer, or else of the list; without one, on the day of its creation. If anything
 * is wrong with it, it is named in every period that it may belong to.
 * @returns null when it belongs to another period or is not a payment.
 */
export function decidePayment(facts: PaymentFacts, terms: Terms): PaymentDecision | null {
  if (isForeign(facts, terms)) return decideForeign(facts, terms);
  const shape = shapeOf(facts, terms);
  const found = reasonsOf(facts, shape, terms);
  const isWrong = found.some(([, weight]) => weight !== "note");
  const dating = datePayment(facts, terms);
  if (dating === null || (!shape.paid && !shape.stored && !isWrong)) return null;
  const notes = shape.isLive ? notesOf(facts, shape, terms) : [];
  // A complete payment counts in the period of the confirmed answer, or else of its creation.
  const counts = dating.isSure || isWrong;
  const named = [...found, ...notes].filter(([reason]) => counts || OF_OTHER_PERIODS.has(reason));
  if (!counts && named.length === 0) return null;
  const amount = facts.listedAmount ?? facts.askedAmount ?? facts.amounts?.amount ?? null;
  return {
    day: dating.day,
    isLive: shape.isLive,
    isForeign: false,
    paid: counts && shape.paid ? money(amount) : null,
    stored: counts && shape.stored ? money(facts.amounts?.amount) : null,
    published: counts && facts.accepted ? money(facts.inPayload?.amount) : null,
    differences: named.flatMap(([reason, weight]) =>
      (reason === "corrected" ? daysOf(facts, dating.day, terms) : [dating.day]).map((day) =>
        differenceOf(facts, reason, { weight, day, amount: amount === null ? null : money(amount) }),
      ),
    ),
  };
}

const differenceOf = (
  facts: PaymentFacts,
  reason: Reason,
  counted: Pick<Difference, "weight" | "day" | "amount">,
): Difference => ({
  invoiceId: facts.invoiceId,
  eventId: facts.eventId,
  reason,
  detail: detailOf(reason, facts),
  ...counted,
});

/** Noted also where the payment does not count. */
const OF_OTHER_PERIODS: ReadonlySet<Reason> = new Set(["undated", "future", "corrected"]);

interface Shape {
  isLive: boolean;
  /** At the provider. */
  paid: boolean;
  stored: boolean;
}

function shapeOf(facts: PaymentFacts, terms: Terms): Shape {
  const stored = facts.status !== null && classOfStatus(facts.status, terms) === "paid";
  return { isLive: isLive(facts), paid: isPaid(facts, stored, terms), stored };
}

/**
 * A listed payment counts as paid until Get Invoice says otherwise. Where the list calls it paid and Get
 * Invoice never did, the provider contradicts itself: a person decides.
 */
function isPaid({ listed, label, asked }: PaymentFacts, stored: boolean, terms: Terms): boolean {
  switch (asked) {
    case "paid":
      return true;
    case "unknown":
      return false;
    case "not_paid":
      return !stored && label !== null && classOfStatus(label, terms) === "paid";
    default:
      return listed;
  }
}

/**
 * Counts as Live unless the provider says Test, now or in a whole stored document, and no other fact
 * contradicts. A column or an event alone is no proof.
 */
function isLive({ askedType, type, inDocument, documentIsWhole }: PaymentFacts): boolean {
  const documentType = inDocument?.type ?? null;
  const proof = askedType ?? (documentIsWhole === true ? documentType : null);
  const said = [askedType, type, documentType].filter((one) => one !== null);
  return proof === null || said.some((one) => plainStatus(one) !== "test");
}

/**
 * The owner of a payment, by the provider's answer: a list shows its own, and Get Invoice names the
 * collection of payments that no list shows. One of unknown owner counts as ours, so that it is not missed.
 */
function isForeign(facts: PaymentFacts, { ownCollections, namesAreKnown }: Terms): boolean {
  const { listed, status, asked, collectionName, askedCollection } = facts;
  const name = askedCollection ?? collectionName;
  if (listed || !namesAreKnown || (name !== null && ownCollections.has(name))) return false;
  return status !== null || asked === "paid" || asked === "not_paid" || asked === "unknown";
}

/**
 * A person has to name the owner: until then the payment stands in the way of the whole source's certificate.
 */
function decideForeign(facts: PaymentFacts, terms: Terms): PaymentDecision | null {
  const shape = shapeOf(facts, terms);
  const dating = datePayment(facts, terms);
  if (!shape.isLive || !(shape.paid || shape.stored) || dating?.isSure !== true) return null;
  const amount = money(facts.askedAmount ?? facts.amounts?.amount);
  const { day } = dating;
  const weight = facts.dismissedBy !== null || facts.accepted ? "note" : "difference";
  return {
    day,
    isLive: true,
    isForeign: true,
    paid: amount,
    stored: null,
    published: null,
    differences: [differenceOf(facts, "foreign", { weight, day, amount })],
  };
}

function reasonsOf(facts: PaymentFacts, shape: Shape, terms: Terms): [Reason, Weight][] {
  if (!shape.isLive) {
    if (facts.accepted)
      return facts.eventType === "Live" &&
        isFromItsAnswer(facts) &&
        facts.digestMatches === true &&
        payloadIsSent(facts)
        ? [["type_changed", "note"]]
        : [["wrong_topic", "difference"]];
    return [["test", "note"]];
  }
  const reasons: [Reason, Weight][] = [];
  const differs = (reason: Reason, when = true) => void (when && reasons.push([reason, "difference"]));
  const { asked, confirmation, verdict, eventId } = facts;
  const isDismissedDead = facts.dismissedBy !== null && !shape.paid;
  if (shape.paid && !facts.accepted) reasons.push([gapOf(facts, terms), "gap"]);
  else if (shape.paid && !shape.stored) differs(facts.status === null ? "invoice_missing" : "not_paid");
  differs("status_unknown", asked === "unknown" || (!shape.paid && asked === "unclear"));
  if (!shape.paid && shape.stored && reasons.length === 0) differs("not_at_provider");
  if (!shape.paid && !shape.stored) {
    differs("event_without_payment", eventId !== null);
    differs("dead", confirmation === "dead" && eventId === null && !isDismissedDead);
    differs("quarantined", verdict === "quarantined" && eventId === null && facts.status === null);
  }
  if (!shape.paid && !shape.stored && eventId === null) return reasons;
  differs("amount_differs", !amountsAgree(facts));
  if (!booksAgree(facts, shape.stored)) differs("books_differ");
  else if (facts.accepted && shape.stored) {
    if (typeHasChanged(facts)) reasons.push(["type_changed", "note"]);
    if (correctionsOf(facts).length > 0) reasons.push(["corrected", "note"]);
  }
  differs("payload_differs", !payloadIsSent(facts));
  differs("digest_missing", facts.accepted && facts.digestMatches === null);
  const isKnown = shape.stored || eventId !== null;
  differs("confirmation_missing", isKnown && confirmation === null);
  differs("verdict_differs", facts.accepted && confirmation !== null && verdict !== "paid");
  return reasons;
}

/** Why a payment is not accepted on the right topic: the first step on its path that is not done. */
function gapOf(facts: PaymentFacts, { firstServedAt, now }: Terms): Reason {
  const { eventId, outboxState, confirmation, verdict, acceptedElsewhere } = facts;
  if (eventId !== null) {
    if (outboxState === "dead") return "event_dead";
    if (outboxState === "held") return "held";
    if (acceptedElsewhere !== null) return "wrong_topic";
    return outboxState === null ? "no_acceptance" : "unpublished";
  }
  const [paidAt] = possibleDatesOf(facts, now);
  const isEarlier = paidAt !== undefined && (firstServedAt === null || paidAt < firstServedAt);
  if (isEarlier && (confirmation === null || facts.recordOnly === true)) return "before_start";
  if (confirmation === null) return facts.status === null ? "missing" : "event_missing";
  if (confirmation === "dead") return "dead";
  if (verdict === "quarantined") return "quarantined";
  if (confirmation !== "done") return "not_confirmed";
  if (verdict !== "paid") return "not_paid";
  return facts.recordOnly === true ? "recorded_only" : "event_missing";
}

function notesOf(facts: PaymentFacts, shape: Shape, { now }: Terms): [Reason, Weight][] {
  const isOfFuture = datesOf(facts).some((moment) => moment > now);
  const isUndated = !isOfFuture && possibleDatesOf(facts, now).length === 0;
  const notes: Reason[] = [];
  if (!facts.hasCallback) notes.push("callback_missing");
  if (isUndated && (shape.paid || shape.stored)) notes.push("undated");
  if (isOfFuture) notes.push("future");
  if (!facts.listed && shape.paid) notes.push("counted_by_asking");
  return notes.map((note) => [note, "note"]);
}

function amountsAgree(facts: PaymentFacts): boolean {
  if (facts.amountsDiffer || !totalsAgree(facts)) return false;
  const { amounts, inPayload, eventId, status } = facts;
  const all = [
    ...[facts.listedAmount, facts.askedAmount].filter((amount) => amount !== null),
    ...(status === null ? [] : [amounts?.amount ?? null]),
    ...(eventId === null ? [] : [inPayload?.amount ?? null]),
  ];
  return all.every((amount) => isSameMoney(amount, all[0] ?? null));
}

/**
 * Whether the payload belongs to this invoice and event, and is what SNS accepted. A lost event that was made
 * again may differ from an earlier acceptance, so one matching acceptance is enough.
 */
function payloadIsSent({
  eventId,
  inPayload,
  invoiceId,
  digestDiffers,
  digestMatches,
}: PaymentFacts): boolean {
  if (eventId === null) return true;
  const isOurs = inPayload?.id === eventId && inPayload.subject === invoiceId;
  return isOurs && (digestMatches === true || digestDiffers !== true);
}

const money = (amount: string | null | undefined): Money => moneyOf(amount) ?? "0.00";

interface DayTerms {
  window: BookPeriod;
  now: Date;
  /** The zone whose days are counted. */
  zone: string;
}

interface PaymentDay {
  /** Else only another date of it may lie in the period. */
  isSure: boolean;
  day: string;
}

/**
 * The day on which it counts: that of the confirmed answer, or else of the list; without one, of its creation.
 * @returns null when it belongs to another period.
 */
function datePayment(facts: PaymentFacts, { window: { from, to }, now, zone }: DayTerms): PaymentDay | null {
  const within = (moment: Date) => moment >= from && moment < to;
  const created = possibleCreation(namedCreation(facts), now);
  const dates = possibleDatesOf(facts, now);
  const dated = dates.find(within);
  if (dated !== undefined) return { isSure: dated === dates[0], day: bookDayOf(dated, zone) };
  if (dates.length > 0) return null;
  if (created === null) {
    // A callback comes soon after its payment.
    const { openedAt, listed, status, eventId } = facts;
    const opened = (openedAt ?? from).getTime();
    const isOnlyOpened = !listed && status === null && eventId === null;
    if (isOnlyOpened && opened >= to.getTime() + DAY_MS) return null;
    const near = Math.min(Math.max(opened, from.getTime()), to.getTime() - 1);
    return { isSure: true, day: bookDayOf(near, zone) };
  }
  if (created >= to) return null;
  return created >= from
    ? { isSure: true, day: bookDayOf(created, zone) }
    : { isSure: false, day: bookDayOf(from, zone) };
}

/** The day on which a corrected payment counts, and that of its event, as far as the period has it. */
function daysOf(
  { inPayload }: PaymentFacts,
  day: string,
  { window: { from, to }, zone }: DayTerms,
): string[] {
  const published = new Date(inPayload?.paidAt ?? Number.NaN);
  const isWithin = published >= from && published < to;
  return isWithin && bookDayOf(published, zone) !== day ? [day, bookDayOf(published, zone)] : [day];
}

const namedCreation = ({ createdAt, askedCreatedAt, listedCreatedAt }: PaymentFacts): Date | null =>
  askedCreatedAt ?? createdAt ?? listedCreatedAt;

/** Without those that can be none. */
const possibleDatesOf = (facts: PaymentFacts, now: Date): Date[] =>
  datesOf(facts).filter((moment) => possiblePayment(moment, namedCreation(facts), now) !== null);

/** The times of payment: what Get Invoice says now, what it said, and what others say. */
function datesOf({ askedPaidAt, paidAt, listedPaidAt, inPayload }: PaymentFacts): Date[] {
  const published = inPayload?.paidAt == null ? null : new Date(inPayload.paidAt);
  return [askedPaidAt, paidAt, listedPaidAt, published].filter(
    (moment): moment is Date => moment !== null && !Number.isNaN(moment.getTime()),
  );
}
