import { type Kysely, sql } from "kysely";
import { returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import type { ConfirmationKey } from "./confirmation.ts";
import { isGiven, KEY } from "./key-columns.ts";

/** How long a confirmation is kept whose id the provider does not know, so that no flood stays for ever. */
const KEPT = sql.lit("7 days");

/** Those that were settled since this moment are kept. */
export const unknownKeptSince = sql`clock_timestamp() - ${KEPT}::interval`;

const dating = new Statement({ since: returned.time }, () => sql`select ${unknownKeptSince} as since`);

/** The same moment, for a statement whose index needs to know it. */
export async function readUnknownKeptSince(db: Kysely<Tables>): Promise<Date> {
  const [row] = await dating.execute(db);
  return row?.since ?? new Date(0);
}

/**
 * A condition on rows of `confirmation`: the provider did not know the invoice, and nobody asked again for a
 * week.
 */
const stayedUnknown = sql<boolean>`
  confirmation.verdict = 'unknown_invoice' and confirmation.state = 'done'
  and confirmation.settled_at < ${unknownKeptSince}`;

interface Given {
  keys: readonly ConfirmationKey[];
}

// Each is looked up by itself, in the order in which everything locks confirmations: for a plain join
// Postgres might read all that are unknown.
const deleting = new Statement(
  {},
  ({ table }: Slots<Given>) => sql`
    delete from confirmation where ${stayedUnknown} and ctid = any(array(
      select known.ctid
      from (select given.* from ${table("given", KEY, ({ keys }) => keys)}
        order by given.invoice_id, given.source) as given
      cross join lateral (select confirmation.ctid from confirmation where ${isGiven} for update) as known))`,
);

/** Deletes those of the given confirmations that stayed unknown. @returns how many. */
export const deleteUnknown = (db: Kysely<Tables>, keys: readonly ConfirmationKey[]): Promise<number> =>
  deleting.write(db, { keys });
