import { createHash, randomUUID } from "node:crypto";
import { sql } from "kysely";
import { type CreateInvoiceRequest, compareMoney, sumOfMoney } from "../../collection-api/contract/index.ts";
import { readCollectionTerms } from "./collection-statements.ts";
import type { Faults } from "./faults/faults.ts";
import { insertInvoice, readInvoice } from "./invoice-statements.ts";
import { billingColumns, lifetimeMs } from "./invoice-totals.ts";
import { readAccountStates, readPrimaryAccountId } from "./linked-account-statements.ts";
import type { ApiKey } from "./load-seed.ts";
import { Refused } from "./refusals.ts";
import type { InvoiceRow, ServiceDatabase } from "./service-tables.ts";

interface CreateCall {
  readonly request: CreateInvoiceRequest;
  readonly key: ApiKey;
  /** The request's own word for itself: a second one under the same word makes nothing new. */
  readonly idempotencyKey: string | undefined;
  /** What the interface leaves open and a provider may see otherwise. */
  readonly freedoms: Faults["create"] & Faults["limits"];
}

/** Creates an invoice, or finds the one that the same call made before. @throws Refused */
export function createInvoiceOnce(db: ServiceDatabase, call: CreateCall): Promise<InvoiceRow> {
  const { request, key, idempotencyKey } = call;
  if (idempotencyKey === undefined) return createInvoice(db, call);
  // What an index of Postgres holds, with room to spare.
  if (idempotencyKey.length > 255)
    throw new Refused("invalid", "The idempotency key should have at most 255 characters");
  const digest = createHash("sha256").update(JSON.stringify(request)).digest();
  return db.transaction().execute(async (trx) => {
    // Of two at once, the second waits and finds what the first made.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`${key.name}\n${idempotencyKey}`}, 0))`.execute(
      trx,
    );
    const before = await trx
      .selectFrom("idempotency")
      .select(["request_sha256", "invoice_id"])
      .where("api_key", "=", key.name)
      .where("key", "=", idempotencyKey)
      .executeTakeFirst();
    if (before !== undefined) {
      const invoice = await readInvoice(trx, before.invoice_id);
      if (invoice === undefined || !before.request_sha256.equals(digest)) throw new Refused("keyReused");
      return invoice;
    }
    const invoice = await createInvoice(trx, call);
    await trx
      .insertInto("idempotency")
      .values({ api_key: key.name, key: idempotencyKey, request_sha256: digest, invoice_id: invoice.id })
      .execute();
    return invoice;
  });
}

/** Creates an unpaid invoice in a collection that is active, by that collection's terms. */
async function createInvoice(
  db: ServiceDatabase,
  { request, key, freedoms }: CreateCall,
): Promise<InvoiceRow> {
  const beneficiaries = request.invoiceBeneficiaries?.length ? request.invoiceBeneficiaries : null;
  const [collection, accountStates, ownAccountId] = await Promise.all([
    readCollectionTerms(db, request.collectionId),
    readAccountStates(db, beneficiaries?.map((one) => one.linkedAccountId) ?? []),
    freedoms.owner === "required" ? readPrimaryAccountId(db) : null,
  ]);
  if (collection === undefined) throw new Refused("unknownCollection", "collectionId names no collection");
  if (collection.status !== "Active")
    throw new Refused("closedCollection", `collectionId names a collection that is ${collection.status}`);

  const amount = collection.amount ?? request.amount;
  const ids = beneficiaries?.map((one) => one.linkedAccountId) ?? [];
  const problems = [
    ...amountProblems(request.amount, collection.amount, freedoms),
    ...splitProblems(beneficiaries !== null, collection.has_own_split),
    ...ids.flatMap((id, index) => {
      if (!accountStates.has(id)) return `${accountField(index)} names no linked account`;
      return ids.indexOf(id) === index ? [] : `${accountField(index)} is named twice`;
    }),
  ];
  if (freedoms.owner === "required" && beneficiaries !== null && !ids.includes(ownAccountId ?? ""))
    problems.push("invoiceBeneficiaries should name the merchant's own account too");
  if (request.title.length > freedoms.titleLength)
    problems.push(`title should have at most ${freedoms.titleLength} characters`);
  if (beneficiaries !== null && amount !== null && freedoms.beneficiariesSum === "checked") {
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
function amountProblems(
  asked: string | null,
  fixed: string | null,
  { leastAmount, mostAmount }: CreateCall["freedoms"],
): string[] {
  const amount = fixed ?? asked;
  if (amount === null) return ["amount is missing: the collection has no fixed amount"];
  const problems: string[] = [];
  if (fixed !== null && asked !== null)
    problems.push("amount should be left out: the collection has a fixed amount");
  if (compareMoney(amount, String(leastAmount)) < 0)
    problems.push(`amount should be at least ${leastAmount}`);
  if (mostAmount !== null && compareMoney(amount, String(mostAmount)) > 0)
    problems.push(`amount should be at most ${mostAmount}`);
  return problems;
}

/** Beneficiaries likewise. */
function splitProblems(isGiven: boolean, hasOwnSplit: boolean): string[] {
  if (isGiven && hasOwnSplit)
    return ["invoiceBeneficiaries should be left out: the collection has its own accounts"];
  if (!isGiven && !hasOwnSplit)
    return ["invoiceBeneficiaries is missing: the collection has no accounts of its own"];
  return [];
}
