import { type Kysely, type RawBuilder, sql } from "kysely";
import { type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import type { ConfirmationKey } from "./confirmation.ts";
import { isGiven, KEY } from "./key-columns.ts";

/**
 * A condition on rows of `confirmation`: the provider did not know the invoice, and nobody has asked again
 * since.
 */
export const stayedUnknown = (before: Date | RawBuilder<unknown>) => sql<boolean>`
  confirmation.verdict = 'unknown_invoice' and confirmation.state = 'done'
  and confirmation.requested_at < ${before}`;

interface Given {
  keys: readonly ConfirmationKey[];
  before: Date;
}

const deleting = new Statement({}, ({ table, value }: Slots<Given>) => {
  const given = table("given", KEY, ({ keys }) => keys);
  const forgotten = stayedUnknown(value(({ before }) => before));
  return sql`delete from confirmation using ${given} where ${isGiven} and ${forgotten}`;
});

/** Deletes those of the given confirmations that stayed unknown. @returns how many. */
export const deleteUnknown = (
  db: Kysely<Tables>,
  keys: readonly ConfirmationKey[],
  before: Date,
): Promise<number> => deleting.write(db, { keys, before });
