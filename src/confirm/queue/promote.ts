import { type Kysely, sql } from "kysely";
import { type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";

interface Given {
  source: string;
  invoiceIds: readonly string[];
}

// Locked in invoice order, as everything that opens confirmations does.
const promoting = new Statement({}, ({ value }: Slots<Given>) => {
  const source = value((given) => given.source);
  return sql`
    update confirmation set priority = 'known', due_at = least(due_at, clock_timestamp())
    from (
      select invoice_id from confirmation
      where source = ${source} and priority = 'unknown' and state = 'due'
        and invoice_id = any(${value(({ invoiceIds }) => invoiceIds)}::uuid[])
      order by invoice_id for update) as found
    where confirmation.source = ${source} and confirmation.invoice_id = found.invoice_id`;
});

/** Puts ids that proved to be the provider's own before those that nobody knows. @returns how many. */
export const promote = (db: Kysely<Tables>, source: string, invoiceIds: readonly string[]): Promise<number> =>
  promoting.write(db, { source, invoiceIds });

/** A condition on rows of `source`: ids that nobody knows wait there. */
export const unknownIdsWait = sql<boolean>`
  exists (select from confirmation
    where confirmation.source = source.name and confirmation.priority = 'unknown'
      and confirmation.state = 'due')`;
