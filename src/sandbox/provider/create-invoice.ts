import { createHash, randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { CreateInvoiceRequest } from "../../collection-api/contract/index.ts";
import { type CollectionRow, readCollectionTerms } from "./collection-statements.ts";
import { type CreateFreedoms, type CreateVerdict, judgeCreate } from "./create-rules.ts";
import { insertInvoice, readInvoice } from "./invoice-statements.ts";
import { billingColumns, lifetimeMs } from "./invoice-totals.ts";
import { readAccountStates, readPrimaryAccountId } from "./linked-account-statements.ts";
import type { ApiKey } from "./load-seed.ts";
import type { InvoiceRow, InvoiceType, ServiceDatabase } from "./service-tables.ts";

interface CreateCall {
  readonly request: CreateInvoiceRequest;
  readonly key: ApiKey;
  /** The request's own word for itself: a second one under the same word makes nothing new. */
  readonly idempotencyKey: string | undefined;
  readonly freedoms: CreateFreedoms;
}

/** Creates an invoice, or finds the one that the same call made before. */
export function createInvoiceOnce(
  db: ServiceDatabase,
  { request, key, idempotencyKey, freedoms }: CreateCall,
): Promise<CreateOutcome | { verdict: "key_reused" }> {
  if (idempotencyKey === undefined) return createInvoice(db, request, key.type, freedoms);
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
      if (invoice === undefined || !before.request_sha256.equals(digest)) return { verdict: "key_reused" };
      return { verdict: "created", invoice };
    }
    const outcome = await createInvoice(trx, request, key.type, freedoms);
    if (outcome.verdict === "created")
      await trx
        .insertInto("idempotency")
        .values({
          api_key: key.name,
          key: idempotencyKey,
          request_sha256: digest,
          invoice_id: outcome.invoice.id,
        })
        .execute();
    return outcome;
  });
}

type CreateOutcome =
  | { verdict: "created"; invoice: InvoiceRow }
  | { verdict: "unknown_collection" }
  | { verdict: "closed_collection"; status: CollectionRow["status"] }
  | Exclude<CreateVerdict, { verdict: "allowed" }>;

/** Creates an unpaid invoice in a collection that is active, by that collection's terms. */
async function createInvoice(
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

  const billing = billingColumns(collection, judged.amount);
  if (Number(billing.settleable_amount) <= 0)
    return { verdict: "invalid", problems: ["amount should be more than the service fee with VAT"] };
  const invoice = await insertInvoice(db, {
    id: randomUUID(),
    created_at: sql`now()`,
    modified_at: sql`now()`,
    expires_at: sql`now() + ${lifetimeMs(collection.invoice_expiration_period)} * interval '1 ms'`,
    paid_at: null,
    ...billing,
    status: "Unpaid",
    type,
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
