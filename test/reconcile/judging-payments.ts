import {
  judgePayment,
  type PaymentJudgement,
  type Terms,
} from "../../src/reconcile/certificate/judge-payment.ts";
import type { PaymentFacts } from "../../src/reconcile/certificate/payment-facts.ts";

export const INVOICE = "0f3a6c1e-8a44-4f4e-9a51-6f0f6a4e2f5b";
export const EVENT = "5d2f4b1c-0000-5000-8000-000000000001";

export const at = (time: string) => new Date(`2026-10-${time}Z`);

export const AMOUNTS = {
  amount: "1500.50",
  serviceCharge: "10.00",
  vat: "0.75",
  totalAmount: "1511.25",
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
  ownCollections: new Set(["Term 1"]),
  otherCollections: new Set(["Other"]),
  namesAreKnown: true,
  isWhole: true,
};

const PAID_AT = at("10T12:00:00");
const PAYLOAD = { ...AMOUNTS, id: EVENT, subject: INVOICE, type: "Live", paidAt: PAID_AT.toISOString() };

const ANSWER = { ...AMOUNTS, type: "Live", paymentDate: PAID_AT.toISOString() };

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
export const COMPLETE: PaymentFacts = {
  invoiceId: INVOICE,
  listed: true,
  label: "Paid",
  amountsDiffer: false,
  listedAmount: "1500.5",
  listedPaidAt: PAID_AT,
  listedCreatedAt: at("09T00:00:00"),
  asked: null,
  askedStatus: null,
  askedType: null,
  askedCollection: null,
  askedAmount: null,
  askedPaidAt: null,
  askedCreatedAt: null,
  status: "Paid",
  type: "Live",
  paidAt: PAID_AT,
  createdAt: at("09T00:00:00"),
  collectionName: "Term 1",
  released: false,
  amounts: AMOUNTS,
  ...document({}),
  documentIsWhole: true,
  confirmation: "done",
  verdict: "paid",
  openedAt: PAID_AT,
  recordOnly: false,
  lastError: null,
  dismissedBy: null,
  hasCallback: true,
  eventId: EVENT,
  eventType: "Live",
  ...eventAnswer({}),
  inPayload: PAYLOAD,
  outboxState: null,
  outboxError: null,
  accepted: true,
  acceptedElsewhere: null,
  digestMatches: true,
  digestDiffers: false,
};

/** Its event was never made. */
export const WITHOUT_EVENT: Partial<PaymentFacts> = {
  eventId: null,
  eventType: null,
  eventAnswers: null,
  inPayload: null,
  accepted: false,
  digestMatches: null,
  digestDiffers: null,
};

/** Get Invoice never said anything of it that was kept. */
export const NOT_STORED: Partial<PaymentFacts> = {
  status: null,
  type: null,
  paidAt: null,
  createdAt: null,
  collectionName: null,
  amounts: null,
  inDocument: null,
  documentIsWhole: null,
  eventAnswers: null,
};

/** The list does not show it. */
export const NOT_LISTED: Partial<PaymentFacts> = {
  listed: false,
  listedAmount: null,
  listedPaidAt: null,
  listedCreatedAt: null,
};

/** Nothing says when it was paid. */
export const UNDATED: Partial<PaymentFacts> = {
  listedPaidAt: null,
  paidAt: null,
  inPayload: { ...PAYLOAD, paidAt: null },
  ...document({ paymentDate: null }),
  ...eventAnswer({ paymentDate: null }),
};

/** Everything says that it was paid then. */
export const paidAt = (moment: Date): Partial<PaymentFacts> => ({
  paidAt: moment,
  listedPaidAt: moment,
  inPayload: { ...PAYLOAD, paidAt: moment.toISOString() },
  ...document({ paymentDate: moment.toISOString() }),
  ...eventAnswer({ paymentDate: moment.toISOString() }),
});

export const payload = (changes: Partial<NonNullable<PaymentFacts["inPayload"]>>) => ({
  inPayload: { ...PAYLOAD, ...changes },
});

export const judged = (changes: Partial<PaymentFacts>, terms: Partial<Terms> = {}): PaymentJudgement | null =>
  judgePayment({ ...COMPLETE, ...changes }, { ...TERMS, ...terms });

/** What is said of it: `weight reason`. */
export const saidOf = (changes: Partial<PaymentFacts>, terms: Partial<Terms> = {}): string[] | null =>
  judged(changes, terms)?.differences.map(({ weight, reason }) => `${weight} ${reason}`) ?? null;
