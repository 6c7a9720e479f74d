import { type Kysely, sql } from "kysely";
import { tableOf } from "../database/columns.ts";
import type { Tables } from "../database/tables.ts";
import type { ConfirmationKey } from "./confirmation.ts";
import { KEY } from "./key-columns.ts";

/**
 * A condition on rows of `confirmation`: the provider did not know the invoice, and nobody asked again since.
 */
export const stayedUnknown = (before: Date) => sql<boolean>`
  confirmation.verdict = 'unknown_invoice' and confirmation.state = 'done' and confirmation.requested_at < ${before}`;

/** Deletes those of the given confirmations that stayed unknown. @returns how many. */
export async function deleteUnknown(
  db: Kysely<Tables>,
  keys: readonly ConfirmationKey[],
  before: Date,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from confirmation using ${tableOf("given", KEY, keys)}
    where confirmation.invoice_id = given.invoice_id and confirmation.source = given.source
      and ${stayedUnknown(before)}`.execute(db);
  return Number(numAffectedRows);
}
