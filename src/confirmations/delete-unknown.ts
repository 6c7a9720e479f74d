import { type Kysely, sql } from "kysely";
import { tableOf } from "../database/columns.ts";
import type { Tables } from "../database/tables.ts";
import type { ConfirmationKey } from "./confirmation.ts";
import { KEY } from "./key-columns.ts";

/** A confirmation of an id that the provider does not know is kept for so long; a flood of them must not stay for ever. */
export const KEPT_UNKNOWN_DAYS = 7;

/** The moment from which on they are kept. */
export const unknownKeptSince = sql<Date>`clock_timestamp() - ${sql.lit(`${KEPT_UNKNOWN_DAYS} days`)}::interval`;

/** A condition on rows of `confirmation`: the provider did not know the invoice, and nobody asked again for a week. */
export const stayedUnknown = sql<boolean>`
  confirmation.verdict = 'unknown_invoice' and confirmation.state = 'done'
    and confirmation.requested_at < ${unknownKeptSince}`;

/** Deletes those of the given confirmations that stayed unknown. @returns how many. */
export async function deleteUnknown(db: Kysely<Tables>, keys: readonly ConfirmationKey[]): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from confirmation using ${tableOf("given", KEY, keys)}
    where confirmation.invoice_id = given.invoice_id and confirmation.source = given.source
      and ${stayedUnknown}`.execute(db);
  return Number(numAffectedRows);
}
