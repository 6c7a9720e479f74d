import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { CreateInvoiceRequest } from "../../collection-api/contract/index.ts";
import type { ApiKey } from "./api/api-keys.ts";
import { type CreateOutcome, createInvoice } from "./create-invoice.ts";
import type { CreateFreedoms } from "./create-rules.ts";
import { readInvoice } from "./invoice-statements.ts";
import type { ServiceDatabase } from "./service-tables.ts";

export interface CreateCall {
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
