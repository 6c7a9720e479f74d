import { invoicePaid } from "../events/invoice-paid.ts";
import { storableText } from "../kit/storable-text.ts";
import type { Answer } from "../provider/answer.ts";
import type { NewEvent } from "../publish/event.ts";
import type { Claimed } from "./claim.ts";
import type { InvoiceType } from "./invoice-type.ts";
import type { ConfirmedInvoice } from "./invoices/payment.ts";
import { newEvent } from "./new-event.ts";
import type { Rules } from "./rules.ts";

type Found = Extract<Answer, { kind: "found" }>;

/**
 * The event of an invoice that the provider says is paid, from that answer alone (G3). One that is too large
 * for SNS, or of which fields could not be read, goes without metadata and beneficiaries, and says so.
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

const storable = (text: string | null): string | null => (text === null ? null : storableText(text));
