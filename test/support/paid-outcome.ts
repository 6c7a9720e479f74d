import type { Outcome } from "../../src/pipeline/confirm/decide.ts";
import type { ConfirmedInvoice } from "../../src/pipeline/confirm/invoices/confirmed-invoice.ts";

const noon = new Date("2026-11-01T12:00:00Z");

/** The answer that an invoice is paid, for a confirmation that is held. @param eventId null: no new event. */
export function paidOutcome(
  confirmation: { invoiceId: string; leaseToken: string; source?: string },
  title: string,
  eventId: string | null = null,
): Outcome {
  const invoice: ConfirmedInvoice = {
    ...{ createdAt: noon, modifiedAt: noon, paidAt: noon, askedAt: noon, confirmedAt: noon },
    ...{ amount: "10.00", serviceCharge: null, vat: null, totalAmount: null, settleableAmount: null },
    ...{ status: "Paid", type: "Live", collectionName: null, title, reference: null },
    ...{ paymentMethod: null, serviceFeePayer: null, document: "{}", erased: false },
    ...{ digest: title, differs: true, newest: true },
  };
  const event: Outcome["event"] =
    eventId === null
      ? null
      : {
          ...{ id: eventId, type: "invoice.paid", invoiceType: "Live", collectionName: null },
          ...{ state: "due", payload: "{}", truncated: false, traceparent: null },
        };
  return {
    ...{ source: "default", ...confirmation, requests: 1, state: "done", verdict: "paid", dueInMs: 0 },
    ...{ priority: "known", attempt: 0, faults: 0, covered: true, lastError: null, lastAnswer: null },
    ...{ keepsEvidence: false, invoice, event, raises: [], clears: [] },
  };
}
