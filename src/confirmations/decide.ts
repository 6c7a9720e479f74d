import { type Kysely, sql } from "kysely";
import { tableOf } from "../database/columns.ts";
import type { Tables } from "../database/tables.ts";
import type { ConfirmationKey } from "./confirmation.ts";
import { KEY } from "./key-columns.ts";

/** Lets invoices out of quarantine: the next answer is judged as if their collection were ours. */
export async function releaseConfirmations(
  db: Kysely<Tables>,
  keys: readonly ConfirmationKey[],
): Promise<void> {
  await sql`
    update confirmation set released_at = clock_timestamp() from ${tableOf("given", KEY, keys)}
    where confirmation.invoice_id = given.invoice_id and confirmation.source = given.source`.execute(db);
}

/** An operator wants to see these no more, until they are decided again. */
export async function dismissConfirmations(
  db: Kysely<Tables>,
  keys: readonly ConfirmationKey[],
): Promise<void> {
  await sql`
    update confirmation set dismissed_at = clock_timestamp() from ${tableOf("given", KEY, keys)}
    where confirmation.invoice_id = given.invoice_id and confirmation.source = given.source`.execute(db);
}
