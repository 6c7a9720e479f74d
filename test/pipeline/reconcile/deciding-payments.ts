import {
  decidePayment,
  type PaymentDecision,
  type Terms,
} from "../../../src/pipeline/reconcile/certificate/decide-payment.ts";
import type { PaymentFacts } from "../../../src/pipeline/reconcile/certificate/payment-facts.ts";

export const INVOICE = "0f3a6c1e-8a44-4f4e-9a51-6f0f6a4e2f5b";
export const EVENT = "5d2f4b1c-0000-5000-8000-000000000001";

export const at = (time: string) => new Date(`2026-10-${time}Z`);

export const AMOUNTS = {
  ...{ amount: "1500.50", serviceCharge: "10.00", vat: "0.75", totalAmount: "1511.25" },
  settleableAmount: "1500.50",
};

/** October, of a source that was served since September. */
export const TERMS: Terms = {
  window: { from: at("01T00:00:00"), to: new Date("2026-11-01T00:00:00Z") },
  paidStatuses: new Set(["paid", "settled"]),
  invalidStatuses: new Set(["invalidated"]),
  firstServedAt: new Date("2026-09-01T00:00:00Z"),
  now: new Date("2026-11-02T00:00:00Z"),
  zone: "UTC",
  ...{ ownCollections: new Set(["Term 1"]), namesAreKnown: true },
};

const PAID_AT = at("10T12:00:00");
const PAYLOAD = { ...AMOUNTS, id: EVENT, subject: INVOICE, type: "Live", paidAt: PAID_AT.toISOString() };
const ANSWER = { ...AMOUNTS, type: "Live", paymentDate: PAID_AT.toISOString() };

export type Changes = Partial<PaymentFacts>;

/** Nothing is known of these. */
const none = <Name extends keyof PaymentFacts>(...names: Name[]): Record<Name, null> =>
  Object.fromEntries(names.map((name) => [name, null])) as Record<Name, null>;

/** The newest answer says so. */
export const document = (changes: Partial<NonNullable<PaymentFacts["inDocument"]>>) => ({
  inDocument: { ...ANSWER, status: "Paid", ...changes },
});

type EventAnswer = NonNullable<PaymentFacts["eventAnswers"]>[number];

/** The answer that the event was made from says so. */
export const eventAnswer = (changes: Partial<EventAnswer>): { eventAnswers: EventAnswer[] } => ({
  eventAnswers: [{ ...ANSWER, isNewest: true, isErased: false, isWhole: true, ...changes }],
});

/** A payment that is listed, stored and published, and says the same everywhere. */
const COMPLETE: PaymentFacts = {
  ...none("asked", "askedStatus", "askedType", "askedCollection", "askedAmount", "askedPaidAt"),
  ...none("askedCreatedAt", "lastError", "dismissedBy", "outboxState", "outboxError", "acceptedElsewhere"),
  invoiceId: INVOICE,
  ...{ listed: true, label: "Paid", amountsDiffer: false, listedAmount: "1500.5", listedPaidAt: PAID_AT },
  listedCreatedAt: at("09T00:00:00"),
  ...{ status: "Paid", type: "Live", paidAt: PAID_AT, createdAt: at("09T00:00:00"), released: false },
  ...{ collectionName: "Term 1", amounts: AMOUNTS, ...document({}), documentIsWhole: true },
  ...{ confirmation: "done", verdict: "paid", openedAt: PAID_AT, recordOnly: false, hasCallback: true },
  ...{ eventId: EVENT, eventType: "Live", ...eventAnswer({}), inPayload: PAYLOAD },
  ...{ accepted: true, digestMatches: true, digestDiffers: false },
};

/** Its event was never made. */
export const WITHOUT_EVENT: Changes = {
  ...none("eventId", "eventType", "eventAnswers", "inPayload", "digestMatches", "digestDiffers"),
  accepted: false,
};

/** Get Invoice never said anything of it that was kept. */
export const NOT_STORED: Changes = none(
  ...(["status", "type", "paidAt", "createdAt", "collectionName", "amounts", "inDocument"] as const),
  ...(["documentIsWhole", "eventAnswers"] as const),
);

/** The list does not show it. */
export const NOT_LISTED: Changes = {
  ...none("label", "listedAmount", "listedPaidAt", "listedCreatedAt"),
  listed: false,
};

export const payload = (changes: Partial<NonNullable<PaymentFacts["inPayload"]>>) => ({
  inPayload: { ...PAYLOAD, ...changes },
});

/** Everything says that it was paid then; null: nothing says when. */
export function paidAt(moment: Date | null): Changes {
  const text = moment?.toISOString() ?? null;
  const answers = { ...document({ paymentDate: text }), ...eventAnswer({ paymentDate: text }) };
  return { paidAt: moment, listedPaidAt: moment, ...payload({ paidAt: text }), ...answers };
}

export const UNDATED: Changes = paidAt(null);

export const decided = (changes: Changes, terms: Partial<Terms> = {}): PaymentDecision | null =>
  decidePayment({ ...COMPLETE, ...changes }, { ...TERMS, ...terms });

/** What is said of it: `weight reason`. */
export const saidOf = (changes: Changes, terms: Partial<Terms> = {}): string[] | null =>
  decided(changes, terms)?.differences.map(({ weight, reason }) => `${weight} ${reason}`) ?? null;
