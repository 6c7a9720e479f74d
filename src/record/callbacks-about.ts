import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { naming } from "./list-callbacks.ts";

/** A condition on rows of `callback`: it named the invoice. Written so that its two indexes apply. */
export const isAbout = (invoiceId: string): RawBuilder<boolean> => sql`
  (invoice_ids[1] = ${invoiceId}
    or (cardinality(invoice_ids) > 1 and invoice_ids @> array[${invoiceId}::uuid]))`;

/** The newest callbacks about an invoice, without their contents. */
export async function callbacksAbout(
  db: Kysely<Tables>,
  { invoiceId, source }: { invoiceId: string; source: string },
  most = 5,
): Promise<{ id: string; receivedAt: Date; foundBy: string | null }[]> {
  const { rows } = await sql<{ id: string; receivedAt: Date; foundBy: string | null }>`
    select id, received_at as "receivedAt", found_by as "foundBy" from ${naming(invoiceId)}
    where source = ${source} order by received_at desc limit ${most}`.execute(db);
  return rows;
}

/** Whether the log still holds a callback. @param receivedAt, id expressions. */
export const isLogged = (
  receivedAt: RawBuilder<unknown>,
  id: RawBuilder<unknown>,
): RawBuilder<boolean> => sql`
  exists (select from callback as logged where logged.received_at = ${receivedAt} and logged.id = ${id})`;
