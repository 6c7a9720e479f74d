import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../database/tables.ts";

/** A condition on rows of `callback`: it named the invoice when it came. In the words of its two indexes. */
export const isAbout = (invoiceId: string): RawBuilder<boolean> => sql`
  (invoice_ids[1] = ${invoiceId}
    or (cardinality(invoice_ids) > 1 and invoice_ids @> array[${invoiceId}::uuid]))`;

/** The newest callbacks about an invoice, without what they said. */
export async function callbacksAbout(
  db: Kysely<Tables>,
  { invoiceId, source }: { invoiceId: string; source: string },
  most = 5,
): Promise<{ id: string; receivedAt: Date; foundBy: string | null }[]> {
  return await db
    .selectFrom("callback")
    .select(["id", "received_at as receivedAt", "found_by as foundBy"])
    .where("source", "=", source)
    .where(isAbout(invoiceId))
    .orderBy("received_at", "desc")
    .limit(most)
    .execute();
}

/** Whether the log still has a callback. @param receivedAt, id expressions. */
export const isLogged = (
  receivedAt: RawBuilder<unknown>,
  id: RawBuilder<unknown>,
): RawBuilder<boolean> => sql`
  exists (select from callback as logged where logged.received_at = ${receivedAt} and logged.id = ${id})`;
