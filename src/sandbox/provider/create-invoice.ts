import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { type CreateInvoiceRequest, compareMoney, sumOfMoney } from "../../collection-api/contract/index.ts";
import { readCollectionTerms } from "./collection-statements.ts";
import { insertInvoice } from "./invoice-statements.ts";
import { billingColumns, lifetimeMs } from "./invoice-totals.ts";
import { readAccountStates } from "./linked-account-statements.ts";
import type { ApiKey } from "./load-seed.ts";
import { Refused } from "./refusals.ts";
import type { InvoiceRow, ServiceDatabase } from "./service-tables.ts";

/** Creates an unpaid invoice in a collection that is active, by that collection's terms. @throws Refused */
export async function createInvoice(
  db: ServiceDatabase,
  request: CreateInvoiceRequest,
  key: ApiKey,
): Promise<InvoiceRow> {
  const beneficiaries = request.invoiceBeneficiaries?.length ? request.invoiceBeneficiaries : null;
  const [collection, accountStates] = await Promise.all([
    readCollectionTerms(db, request.collectionId),
    readAccountStates(db, beneficiaries?.map((one) => one.linkedAccountId) ?? []),
  ]);
  if (collection === undefined) throw new Refused("unknownCollection", "collectionId names no collection");
  if (collection.status !== "Active")
    throw new Refused("closedCollection", `collectionId names a collection that is ${collection.status}`);

  const amount = collection.amount ?? request.amount;
  const ids = beneficiaries?.map((one) => one.linkedAccountId) ?? [];
  const problems = [
    ...amountProblems(request.amount, collection.amount),
    ...splitProblems(beneficiaries !== null, collection.has_own_split),
    ...ids.flatMap((id, index) => {
      if (!accountStates.has(id)) return `${accountField(index)} names no linked account`;
      return ids.indexOf(id) === index ? [] : `${accountField(index)} is named twice`;
    }),
  ];
  if (beneficiaries !== null && amount !== null) {
    const sum = sumOfMoney(beneficiaries.map((beneficiary) => beneficiary.amount));
    if (compareMoney(sum, amount) !== 0)
      problems.push(`invoiceBeneficiaries should sum to the amount ${amount}, but sum to ${sum}`);
  }
  if (problems.length > 0 || amount === null) throw new Refused("invalid", ...problems);

  const pending = ids.flatMap((id, index) =>
    accountStates.get(id) === "Pending" ? `${accountField(index)} is not approved yet` : [],
  );
  if (pending.length > 0) throw new Refused("ruleBroken", ...pending);
  const billing = billingColumns(collection, amount);
  if (Number(billing.settleable_amount) <= 0)
    throw new Refused("invalid", "amount should be more than the service fee with VAT");
  return await insertInvoice(db, {
    id: randomUUID(),
    created_at: sql`now()`,
    modified_at: sql`now()`,
    expires_at: sql`now() + ${lifetimeMs(collection.invoice_expiration_period)} * interval '1 ms'`,
    paid_at: null,
    ...billing,
    status: "Unpaid",
    type: key.type,
    payment_method: null,
    title: request.title,
    payer_name: request.payerName,
    payer_email: request.payerEmail,
    payer_phone_number: request.payerPhoneNumber,
    callback_url: request.callBackUrl,
    biller_metadata: request.billerMetaData,
    beneficiaries,
  });
}

const accountField = (index: number) => `invoiceBeneficiaries[${index}].linkedAccountId`;

/** `amount` is required when the collection has no fixed one, and refused when it has (interface, part B). */
function amountProblems(asked: string | null, fixed: string | null): string[] {
  if (fixed === null && asked === null) return ["amount is missing: the collection has no fixed amount"];
  if (fixed !== null && asked !== null)
    return ["amount should be left out: the collection has a fixed amount"];
  return [];
}

/** Beneficiaries likewise. */
function splitProblems(isGiven: boolean, hasOwnSplit: boolean): string[] {
  if (isGiven && hasOwnSplit)
    return ["invoiceBeneficiaries should be left out: the collection has its own accounts"];
  if (!isGiven && !hasOwnSplit)
    return ["invoiceBeneficiaries is missing: the collection has no accounts of its own"];
  return [];
}
