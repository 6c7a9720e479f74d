import { type InvoicePaid, type InvoicePaidData, invoicePaidId } from "../../events/index.ts";
import { storableText } from "../../platform/values/index.ts";
import type { Found } from "../../provider/index.ts";
import type { InvoiceType } from "./invoices/confirmed-invoice.ts";
import { type ConfirmedInvoice, type Rules, storable } from "./invoices/confirmed-invoice.ts";
import type { Claimed } from "./queue/claim.ts";

/**
 * Makes the event of an invoice that the provider says is paid, from that answer alone (nothing is believed,
 * G3). An event that is too large for SNS, or has unreadable fields, goes without metadata and beneficiaries,
 * and says so.
 */
export function paidEvent(
  { source, traceparent }: Pick<Claimed, "source" | "traceparent">,
  { invoice, leftOut = false }: Pick<Found, "invoice" | "leftOut">,
  type: InvoiceType,
  confirmed: ConfirmedInvoice,
  rules: Rules,
): NewEvent {
  const personal = rules.personalData === "full" && !confirmed.erased;
  const data = {
    invoiceId: invoice.id,
    reference: confirmed.reference,
    collectionName: confirmed.collectionName,
    title: confirmed.title,
    type,
    amount: invoice.amount,
    serviceCharge: invoice.serviceCharge,
    vat: invoice.vat,
    totalAmount: invoice.totalAmount,
    settleableAmount: invoice.settleableAmount,
    paymentMethod: confirmed.paymentMethod,
    paidAt: confirmed.paidAt?.toISOString() ?? null,
    confirmedAt: confirmed.confirmedAt.toISOString(),
    payer: personal
      ? {
          name: storable(invoice.payerName),
          email: storable(invoice.payerEmail),
          phoneNumber: storable(invoice.payerPhoneNumber),
        }
      : null,
    biller: personal
      ? {
          name: storable(invoice.billerName),
          address: storable(invoice.billerAddress),
          email: storable(invoice.billerEmail),
        }
      : null,
    metadata: confirmed.erased
      ? {}
      : Object.fromEntries(
          Object.entries(invoice.billerMetaData).map(([key, value]) => [
            storableText(key),
            storableText(value),
          ]),
        ),
    beneficiaries:
      invoice.invoiceBeneficiaries?.map(({ linkedAccountId, amount }) => ({
        linkedAccountId: storableText(linkedAccountId),
        amount,
      })) ?? null,
  };
  const smaller = { ...data, metadata: {}, beneficiaries: null, truncated: true } as const;
  const event = invoicePaid(source, leftOut ? smaller : data, traceparent);
  const made = newEvent(event, smaller, type, confirmed, rules);
  return leftOut ? { ...made, truncated: true } : made;
}

/** All of `data` is the provider's answer, nothing the callback's (G3). @param traceparent of its span, if any. */
export function invoicePaid(source: string, data: InvoicePaidData, traceparent?: string): InvoicePaid {
  return {
    specversion: "1.0",
    id: invoicePaidId(data.invoiceId),
    source: `urn:invoice-relay:${source}`,
    type: "invoice.paid",
    subject: data.invoiceId,
    time: data.paidAt ?? data.confirmedAt,
    datacontenttype: "application/json",
    dataschema: "urn:invoice-relay:schema:invoice.paid:v1",
    ...(traceparent === undefined ? {} : { traceparent }),
    data,
  };
}

/** An event that is about to be logged. */
export type NewEvent = ReturnType<typeof newEvent>;

/** SNS takes 262,144 bytes in all; the rest holds the attributes but the collection's name, of any length. */
const PAYLOAD_LIMIT_BYTES = 262_144 - 2_048;

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
) {
  const whole = JSON.stringify(event);
  const sent = whole + (collectionName ?? "");
  // A UTF-16 unit takes three bytes of UTF-8 at most, and most events are far from the limit.
  const fits = sent.length * 3 <= PAYLOAD_LIMIT_BYTES || Buffer.byteLength(sent) <= PAYLOAD_LIMIT_BYTES;
  return {
    id: event.id,
    type: event.type,
    invoiceType,
    collectionName,
    /** Test events without a topic are held. */
    state: invoiceType === "Live" || rules.hasTestTopic ? ("due" as const) : ("held" as const),
    /** Exactly as it is published. */
    payload: fits ? whole : JSON.stringify({ ...event, data: smaller }),
    /** Parts of the invoice were left out for size. */
    truncated: !fits,
    /** Of the confirmation that it came from; null while tracing is off. */
    traceparent: event.traceparent ?? null,
  };
}
