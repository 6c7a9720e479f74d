import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { CreateInvoiceRequest } from "../../collection-api/contract/index.ts";
import { type CollectionRow, readCollectionTerms } from "./collection-statements.ts";
import { type CreateFreedoms, type CreateVerdict, judgeCreate } from "./create-rules.ts";
import { lifetimeMs } from "./expiration-period.ts";
import { insertInvoice } from "./invoice-statements.ts";
import { invoiceTotals } from "./invoice-totals.ts";
import { readAccountStates, readPrimaryAccountId } from "./linked-account-statements.ts";
import type { InvoiceRow, InvoiceType, ServiceDatabase } from "./service-tables.ts";

export type CreateOutcome =
  | { verdict: "created"; invoice: InvoiceRow }
  | { verdict: "unknown_collection" }
  | { verdict: "closed_collection"; status: CollectionRow["status"] }
  | Exclude<CreateVerdict, { verdict: "allowed" }>;

/** Creates an unpaid invoice in a collection that is active, by that collection's terms. */
export async function createInvoice(
  db: ServiceDatabase,
  request: CreateInvoiceRequest,
  type: InvoiceType,
  freedoms: CreateFreedoms,
): Promise<CreateOutcome> {
  const [collection, accountStates, ownAccountId] = await Promise.all([
    readCollectionTerms(db, request.collectionId),
    readAccountStates(db, request.invoiceBeneficiaries?.map((one) => one.linkedAccountId) ?? []),
    freedoms.owner === "required" ? readPrimaryAccountId(db) : null,
  ]);
  if (collection === undefined) return { verdict: "unknown_collection" };
  if (collection.status !== "Active") return { verdict: "closed_collection", status: collection.status };

  const judged = judgeCreate(request, {
    fixedAmount: collection.amount,
    hasOwnSplit: collection.has_own_split,
    accountStates,
    ownAccountId,
    freedoms,
  });
  if (judged.verdict !== "allowed") return judged;

  const totals = invoiceTotals(judged.amount, collection.fee, collection.service_fee_billing);
  if (Number(totals.settleableAmount) <= 0)
    return { verdict: "invalid", problems: ["amount should be more than the service fee with VAT"] };
  const invoice = await insertInvoice(db, {
    id: randomUUID(),
    collection_id: collection.id,
    created_at: sql`now()`,
    modified_at: sql`now()`,
    expires_at: sql`now() + ${lifetimeMs(collection.invoice_expiration_period)} * interval '1 ms'`,
    paid_at: null,
    amount: totals.amount,
    service_charge: totals.serviceCharge,
    vat: totals.vat,
    total_amount: totals.totalAmount,
    settleable_amount: totals.settleableAmount,
    status: "Unpaid",
    type,
    service_fee_payer: collection.service_fee_billing,
    settlement_frequency: collection.settlement_frequency,
    payment_method: null,
    title: request.title,
    payer_name: request.payerName,
    payer_email: request.payerEmail,
    payer_phone_number: request.payerPhoneNumber,
    callback_url: request.callBackUrl,
    biller_metadata: request.billerMetaData,
    beneficiaries: request.invoiceBeneficiaries?.length ? request.invoiceBeneficiaries : null,
  });
  return { verdict: "created", invoice };
}
