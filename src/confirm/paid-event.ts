import { invoicePaid } from "../events/invoice-paid.ts";
import { storableText } from "../kit/storable-text.ts";
import type { NewEvent } from "../outbox/event.ts";
import type { ConfirmedInvoice } from "../payments/payment.ts";
import type { Invoice } from "../provider/answer.ts";
import type { Rules } from "./rules.ts";

/** SNS takes 262,144 bytes in all; this leaves room for the attributes. */
const MOST_PAYLOAD_BYTES = 262_144 - 2_048;

/** Only `Live` reaches the live topic: anything else, a type that nobody knows included, counts as Test. */
export const isLive = (type: string | null): boolean => type?.trim().toLowerCase() === "live";

/**
 * The event of an invoice that the provider says is paid, from that answer alone (G3). One that is too large
 * for SNS goes without metadata and beneficiaries, and says so.
 */
export function paidEvent(
  source: string,
  invoice: Invoice,
  confirmed: ConfirmedInvoice,
  rules: Rules,
): NewEvent {
  const live = isLive(invoice.type);
  const personal = rules.personalData === "full" && !confirmed.erased;
  const data = {
    invoiceId: invoice.id,
    reference: confirmed.reference,
    collectionName: confirmed.collectionName,
    title: confirmed.title,
    type: live ? "Live" : (confirmed.type ?? "Test"),
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
  const event = invoicePaid(source, data);
  const whole = JSON.stringify(event);
  // A character takes three bytes at most.
  const fits = whole.length * 3 <= MOST_PAYLOAD_BYTES || Buffer.byteLength(whole) <= MOST_PAYLOAD_BYTES;
  const smaller = { ...data, metadata: {}, beneficiaries: null, truncated: true } as const;
  return {
    id: event.id,
    type: event.type,
    invoiceType: live ? "Live" : "Test",
    collectionName: confirmed.collectionName,
    state: live || rules.hasTestTopic ? "due" : "held",
    payload: fits ? whole : JSON.stringify({ ...event, data: smaller }),
    truncated: !fits,
  };
}

const storable = (text: string | null): string | null => (text === null ? null : storableText(text));
