import { decide } from "../../../src/pipeline/confirm/decide.ts";
import type { Rules } from "../../../src/pipeline/confirm/invoices/confirmed-invoice.ts";
import { type Claimed, type KnownInvoice, NEVER_ASKED } from "../../../src/pipeline/confirm/queue/claim.ts";
import { type Invoice, invoiceRead } from "../../../src/provider/collection-api/contract/index.ts";
import type { Answer } from "../../../src/provider/provider.ts";
import { invoiceAnswer } from "../../support/scripted-provider.ts";

export const ID = "0f3a6c1e-8a44-4f4e-9a51-6f0f6a4e2f5b";
/** The middle of the spread, which moves no wait. */
const EVEN = 0.5;

export const rules: Rules = {
  ...{ paidStatuses: new Set(["paid"]), invalidStatuses: new Set(["invalidated", "invalid", "expired"]) },
  ...{ collectionNames: null, collectionsUnread: null, hasTestTopic: false, currency: "NGN" },
  ...{ personalData: "full", timeZone: "UTC", othersAreAnswered: true },
};

/** Of the collections none is "Term 1", which is that of `found`. */
export const FOREIGN = { collectionNames: new Set(["Other"]) };

export type Asked = Partial<Claimed>;

export const confirmation = (changes: Asked = {}): Claimed => ({
  invoiceId: ID,
  source: "default",
  leaseToken: "5d2f4b1c-0000-4000-8000-000000000001",
  askedAt: new Date("2026-11-01T10:00:00Z"),
  ...NEVER_ASKED,
  ...changes,
});

export const known = (changes: Partial<KnownInvoice> = {}): KnownInvoice => ({
  ...{ status: "Unpaid", type: "Live", modifiedAt: new Date("2026-11-01T08:00:00Z") },
  ...{ amount: "1500.50", totalAmount: "1511.25", digest: "before", ...changes },
});

export type Found = Extract<Answer, { kind: "found" }>;

export function found(changes: Record<string, unknown> = {}): Found {
  const document = (invoiceAnswer(ID, changes) as { body: { data: unknown } }).body.data;
  const invoice: Invoice = invoiceRead.parse(document) as Invoice;
  return { kind: "found", invoice, document, receivedAt: new Date("2026-11-01T10:00:01Z") };
}

export const unpaid = (changes: Record<string, unknown> = {}) =>
  found({ status: "Unpaid", paymentDate: null, paymentMethod: null, ...changes });

export const notFound: Answer = { kind: "not_found", inOwnWords: true, error: "no such id" };
export const outside: Answer = { kind: "outside_contract", error: "no amount", evidence: '{"data":{}}' };
export const fault: Answer = { kind: "fault", error: "timeout" };
export const keyRefused: Answer = { kind: "key_refused", error: "401" };
export const limited = (retryAfterMs: number | null = null): Answer => ({
  ...{ kind: "rate_limited", error: "429", retryAfterMs },
});
export const interrupted: Answer = { kind: "interrupted" };

/** What follows from this answer about a confirmation, without jitter. */
export const decided = (asked: Asked, answer: Answer, given: Partial<Rules> = {}, jitter = EVEN) =>
  decide(confirmation(asked), answer, { ...rules, ...given }, jitter);
