import { randomUUID } from "node:crypto";
import { z } from "zod";
import { moneyGiven } from "../../../collection-api/contract/index.ts";
import { anyUuid } from "../../../kit/setting-formats.ts";
import type { CollectionRow } from "../collection-statements.ts";
import { lifetimeMs } from "../expiration-period.ts";
import type { NewInvoice } from "../invoice-statements.ts";
import { invoiceTotals } from "../invoice-totals.ts";

const moment = z.iso.datetime({ error: "should be a UTC time such as 2024-05-01T10:00:00Z" });

/** Invoices with a past, made at once and without callbacks: what reconciliation has to find. */
export const pastInvoicesRequest = z.strictObject({
  collectionId: anyUuid,
  type: z.enum(["Live", "Test"]).default("Live"),
  invoices: z
    .array(
      z
        .strictObject({
          id: anyUuid.optional(),
          createdAt: moment,
          paidAt: moment.nullable().default(null),
          amount: moneyGiven.optional(),
          title: z.string().min(1).max(200).default("Past invoice"),
          callBackUrl: z.url().max(2_048).nullable().default(null),
          method: z.enum(["Card", "BankTransfer"]).default("Card"),
        })
        .refine(({ createdAt, paidAt }) => paidAt === null || Date.parse(paidAt) >= Date.parse(createdAt), {
          path: ["paidAt"],
          error: "should not be before createdAt",
        }),
    )
    .min(1)
    .max(20_000),
});

export type PastInvoicesRequest = z.output<typeof pastInvoicesRequest>;

/** The rows for them: paid where they say so, else unpaid and perhaps expired long ago. */
export function pastInvoices(request: PastInvoicesRequest, collection: CollectionRow): NewInvoice[] {
  return request.invoices.map((invoice) => {
    const totals = invoiceTotals(
      invoice.amount ?? collection.amount ?? "1500.50",
      collection.fee,
      collection.service_fee_billing,
    );
    const createdAt = new Date(invoice.createdAt);
    const paidAt = invoice.paidAt === null ? null : new Date(invoice.paidAt);
    return {
      id: invoice.id ?? randomUUID(),
      collection_id: collection.id,
      created_at: createdAt,
      modified_at: paidAt ?? createdAt,
      expires_at: new Date(createdAt.getTime() + lifetimeMs(collection.invoice_expiration_period)),
      paid_at: paidAt,
      amount: totals.amount,
      service_charge: totals.serviceCharge,
      vat: totals.vat,
      total_amount: totals.totalAmount,
      settleable_amount: totals.settleableAmount,
      status: paidAt === null ? "Unpaid" : "Paid",
      type: request.type,
      service_fee_payer: collection.service_fee_billing,
      settlement_frequency: collection.settlement_frequency,
      payment_method: paidAt === null ? null : invoice.method,
      title: invoice.title,
      payer_name: "Ngozi Bello",
      payer_email: "ngozi.bello@example.com",
      payer_phone_number: null,
      callback_url: invoice.callBackUrl,
      biller_metadata: {},
      beneficiaries: null,
    };
  });
}
