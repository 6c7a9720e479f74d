import type { NewEvent } from "../publish/event.ts";
import type { InvoiceType } from "./invoice-type.ts";
import type { ConfirmedInvoice } from "./invoices/payment.ts";
import type { Rules } from "./rules.ts";

/** SNS takes 262,144 bytes in all; this leaves room for the attributes. */
const MOST_PAYLOAD_BYTES = 262_144 - 2_048;

/**
 * An event of a confirmed invoice, ready for the log.
 * @param invoiceType decides, with the source, which topic it goes to.
 * @param smaller the data that takes the place of `event.data` when the whole is too large for SNS.
 */
export function newEvent(
  event: { id: string; type: string; traceparent?: string | undefined; data: object },
  smaller: object,
  invoiceType: InvoiceType,
  { collectionName }: Pick<ConfirmedInvoice, "collectionName">,
  rules: Pick<Rules, "hasTestTopic">,
): NewEvent {
  const whole = JSON.stringify(event);
  // A UTF-16 unit takes three bytes of UTF-8 at most, and most events are far from the limit.
  const fits = whole.length * 3 <= MOST_PAYLOAD_BYTES || Buffer.byteLength(whole) <= MOST_PAYLOAD_BYTES;
  return {
    id: event.id,
    type: event.type,
    invoiceType,
    collectionName,
    state: invoiceType === "Live" || rules.hasTestTopic ? "due" : "held",
    payload: fits ? whole : JSON.stringify({ ...event, data: smaller }),
    truncated: !fits,
    traceparent: event.traceparent ?? null,
  };
}
