import { hash } from "node:crypto";
import { type Kysely, sql, type Transaction } from "kysely";
import { audit } from "../database/audit.ts";
import { erasedDocument } from "../database/erased-document.ts";
import type { Tables } from "../database/tables.ts";

/** What was blanked; zeros when there was nothing left to blank. */
export interface Erased {
  invoiceId: string;
  callbacks: number;
  snapshots: number;
  invoices: number;
  events: number;
  questions: number;
}

/** Blanked, with the digest of what stood there, in the one update of the log that its trigger permits. */
const blankedCallbacks = (invoiceId: string) => sql`
  update callback set erased_at = clock_timestamp(), erased_digest = encode(sha256(body), 'hex'),
    body = '', headers = '[]', query = '', remote_address = null
  where erased_at is null and (
    invoice_ids[1] = ${invoiceId} or (cardinality(invoice_ids) > 1 and invoice_ids @> array[${invoiceId}::uuid])
    or (received_at, id) in (select received_at, callback_id from callback_reading where invoice_ids @> array[${invoiceId}::uuid]))
  returning 1`;

/**
 * Blanks the personal data of one invoice in the log, the invoice, its snapshots, its event and the evidence; ids,
 * amounts and a digest of what stood there stay. Repeating it erases what came since. The mark on the question
 * keeps later confirmations from bringing anything back; an answer under way loses its lease, so that it is asked
 * again under the mark.
 */
export async function eraseInvoice({
  db,
  actor,
  invoiceId,
}: {
  db: Kysely<Tables>;
  actor: string;
  invoiceId: string;
}): Promise<Erased> {
  return await db.transaction().execute(async (trx) => {
    // The questions first: a settlement under way holds their lock, and what it wrote is seen below.
    const questions = await count(
      trx,
      sql`
        update confirmation set erased_at = coalesce(erased_at, clock_timestamp()), last_answer = null,
          state = case state when 'claimed' then 'due' else state end, lease_token = null, claimed_until = null
        where invoice_id = ${invoiceId} and (erased_at is null or last_answer is not null)
        returning 1`,
    );
    const erased: Erased = {
      invoiceId,
      questions,
      invoices: await count(
        trx,
        sql`update invoice set erased_at = clock_timestamp(), document = ${erasedDocument(invoiceId)} where id = ${invoiceId} and erased_at is null returning 1`,
      ),
      snapshots: await count(
        trx,
        sql`update invoice_snapshot set erased_at = clock_timestamp(), document = ${erasedDocument(invoiceId)} where invoice_id = ${invoiceId} and erased_at is null returning 1`,
      ),
      events: await eraseEvents(trx, invoiceId),
      callbacks: await count(trx, blankedCallbacks(invoiceId)),
    };
    const { invoiceId: _, ...counts } = erased;
    if (Object.values(counts).some((blanked) => blanked > 0))
      await audit(trx, [{ actor, action: "erase", subject: invoiceId, invoiceId, detail: counts }]);
    return erased;
  });
}

async function count(trx: Transaction<Tables>, statement: ReturnType<typeof sql>): Promise<number> {
  return (await statement.execute(trx)).rows.length;
}

async function eraseEvents(trx: Transaction<Tables>, invoiceId: string): Promise<number> {
  const { rows } = await sql<{
    id: string;
    payload: string;
  }>`select id, payload from event where invoice_id = ${invoiceId} and erased_at is null for update`.execute(
    trx,
  );
  for (const { id, payload } of rows) {
    await sql`
      update event set erased_at = clock_timestamp(), erased_digest = ${hash("sha256", payload)}, payload = ${erasedPayload(payload)}
      where id = ${id}`.execute(trx);
  }
  return rows.length;
}

/** The event without what names a person. Money is text in it, so that nothing of an amount is lost on the way. Pure. */
export function erasedPayload(payload: string): string {
  const event = JSON.parse(payload) as { data: Record<string, unknown> };
  return JSON.stringify({ ...event, data: { ...event.data, payer: null, biller: null, metadata: {} } });
}
