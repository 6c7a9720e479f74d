import { type Kysely, sql } from "kysely";
import { type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import type { ConfirmationKey } from "./confirmation.ts";
import { isGiven, KEY, lockedOf } from "./key-columns.ts";

/** How long a confirmation is kept whose id the provider does not know, so that no flood stays for ever. */
const KEPT = sql.lit("7 days");

/** Those that were settled since this moment are kept. */
export const unknownKeptSince = sql`clock_timestamp() - ${KEPT}::interval`;

/**
 * A condition on rows of `confirmation`: the provider did not know the invoice, and nobody asked again for a
 * week.
 */
export const stayedUnknown = sql<boolean>`
  confirmation.verdict = 'unknown_invoice' and confirmation.state = 'done'
  and confirmation.settled_at < ${unknownKeptSince}`;

interface Given {
  keys: readonly ConfirmationKey[];
}

const deleting = new Statement({}, ({ table }: Slots<Given>) => {
  const given = table("given", KEY, ({ keys }) => keys);
  return sql`delete from confirmation using ${lockedOf(given, stayedUnknown)} where ${isGiven}`;
});

/** Deletes those of the given confirmations that stayed unknown. @returns how many. */
export const deleteUnknown = (db: Kysely<Tables>, keys: readonly ConfirmationKey[]): Promise<number> =>
  deleting.write(db, { keys });
