import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";

/**
 * Ids that proved to be the provider's own are asked about before those that nobody knows.
 * @returns how many were.
 */
export async function promote(
  db: Kysely<Tables>,
  source: string,
  invoiceIds: readonly string[],
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update confirmation set priority = 'known', due_at = least(due_at, clock_timestamp())
    from (
      select invoice_id from confirmation
      where source = ${source} and priority = 'unknown' and state = 'due' and invoice_id = any(${invoiceIds}::uuid[])
      order by invoice_id for update) as found
    where confirmation.source = ${source} and confirmation.invoice_id = found.invoice_id`.execute(db);
  return Number(numAffectedRows);
}

/** A condition on rows of `source`: ids that nobody knows wait there. */
export const unknownIdsWait = sql<boolean>`
  exists (select from confirmation where confirmation.source = source.name and confirmation.priority = 'unknown'
    and confirmation.state = 'due')`;
