import { storableText } from "../../../platform/values/index.ts";
import { compareMoney, moneyOf, statusText, toUtc } from "../../../provider/index.ts";
import { plainStatus } from "../../confirm/index.ts";
import { EARLIEST } from "../list/list-dates.ts";
import type { AnswerFields, PaymentFacts } from "./payment-facts.ts";

// An event states a single answer of the provider, for good. A later answer corrects the invoice, not the
// event. So the event is compared with its own answer, and the invoice with the newest.

const MONEY = ["amount", "serviceCharge", "vat", "totalAmount", "settleableAmount"] as const;

/**
 * Whether columns agree with their document, and the event with its answer, as far as they are not erased.
 */
export function booksAgree(facts: PaymentFacts, isStored: boolean): boolean {
  const { status, inDocument, documentIsWhole, eventId } = facts;
  if (status === null) return true;
  if (documentIsWhole === false) return false;
  if (inDocument !== null && !columnsSay(inDocument, facts)) return false;
  return eventId === null || !isStored || isFromItsAnswer(facts);
}

function columnsSay(document: NonNullable<PaymentFacts["inDocument"]>, facts: PaymentFacts): boolean {
  const { amounts, status, type, paidAt } = facts;
  return (
    MONEY.every((field) => isRead(amounts?.[field] ?? null, document[field])) &&
    isText(status, statusText(document.status ?? "")) &&
    isText(type, document.type) &&
    mayMean(document.paymentDate, paidAt)
  );
}

/** Whether the event says what the answer said that it was made from, as far as that is not erased. */
export function isFromItsAnswer(facts: PaymentFacts): boolean {
  const { eventType, inPayload, eventAnswers } = facts;
  if (inPayload === null || eventType !== inPayload.type) return false;
  const paidAt = inPayload.paidAt === null ? null : new Date(inPayload.paidAt);
  const says = (answer: AnswerFields) =>
    MONEY.every((field) => isRead(inPayload[field], answer[field])) &&
    isText(eventType, answer.type) &&
    mayMean(answer.paymentDate, paidAt);
  // Without its answer, a correction looks the same as a forgery.
  if (eventAnswers === null) return says(columnsOf(facts));
  return eventAnswers.some(({ isNewest, isErased, isWhole, ...answer }) => {
    if (isErased) return !isNewest || says(columnsOf(facts));
    return isWhole && says(answer);
  });
}

const columnsOf = ({ amounts, type, paidAt }: PaymentFacts): AnswerFields => ({
  ...(amounts ?? { amount: null, serviceCharge: null, vat: null, totalAmount: null, settleableAmount: null }),
  type,
  paymentDate: paidAt?.toISOString() ?? null,
});

/** Whether the provider has named another type since the event was made, whose books agree. */
export const typeHasChanged = ({ type, eventType }: PaymentFacts): boolean => !isText(type, eventType);

/** A value that the provider has changed since the event was made. */
export interface Correction {
  field: string;
  /** In the event, and now; null when it was or is missing. */
  was: string | null;
  is: string | null;
}

/**
 * The corrections of a payment whose books agree. Amounts and totals that differ are differences instead.
 */
export function correctionsOf({ amounts, inPayload, askedPaidAt, paidAt }: PaymentFacts): Correction[] {
  if (amounts === null || inPayload === null) return [];
  const moneyChanged = MONEY.map((field) => ({ field, was: inPayload[field], is: amounts[field] }))
    .filter(({ was, is }) => !isSameMoney(was, is))
    .filter(({ field, was, is }) => !isTotal(field) || was === null || is === null);
  const is = (askedPaidAt ?? paidAt)?.toISOString() ?? null;
  const moved = inPayload.paidAt === is ? [] : [{ field: "paidAt", was: inPayload.paidAt, is }];
  return [...moneyChanged, ...moved];
}

const isTotal = (field: string) => field === "amount" || field === "totalAmount";

/** Whether stored and published total are the same, as far as both are known. */
export function totalsAgree({ amounts, inPayload }: PaymentFacts): boolean {
  const [stored, published] = [amounts?.totalAmount ?? null, inPayload?.totalAmount ?? null];
  return stored === null || published === null || isSameMoney(stored, published);
}

/** Compares texts as the relay stores them, without case. */
const isText = (a: string | null, b: string | null) =>
  plainStatus(storableText(a ?? "")) === plainStatus(storableText(b ?? ""));

/** Whether this was read from that text; text that is no amount reads as null. */
function isRead(amount: string | null, text: string | null): boolean {
  const [one, other] = [moneyOf(amount), moneyOf(text)];
  return one === undefined || other === undefined ? one === other : compareMoney(one, other) === 0;
}

/** Whether the text means this moment, by whichever PROVIDER_TIME_ZONE there was when it was read. */
function mayMean(text: string | null, stored: Date | null): boolean {
  // Years that name no moment were stored once.
  const moment = stored !== null && stored < EARLIEST ? null : stored;
  const [first, last] = [toUtc(text, "UTC+14"), toUtc(text, "UTC-12")];
  if (first === null || last === null || moment === null) return first === null && moment === null;
  return moment >= first && moment <= last;
}

const isMissing = (amount: string | null) => (amount ?? "").trim() === "";

/** Compares amounts by value; two missing amounts are equal. */
export function isSameMoney(a: string | null, b: string | null): boolean {
  const [one, other] = [moneyOf(a), moneyOf(b)];
  if (one === undefined || other === undefined) return isMissing(a) && isMissing(b);
  return compareMoney(one, other) === 0;
}
