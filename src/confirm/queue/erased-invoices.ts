import { type Kysely, type RawBuilder, sql } from "kysely";
import { returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";

/**
 * How long after an invoice was marked it is looked at once more: longer than any statement runs that may not
 * have seen the mark.
 */
const CHECKED_AFTER = sql`interval '1 minute'`;

/** A condition: one of these ids is that of an erased invoice. */
export const namesErased = (ids: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  exists (select from erased_invoice where erased_invoice.id = any(${ids}))`;

const marking = new Statement(
  { isNew: returned.boolean },
  ({ value }: Slots<string>) => sql`
    insert into erased_invoice (id) values (${value((invoiceId) => invoiceId)})
    on conflict (id) do nothing returning true as "isNew"`,
);

/**
 * Marks an invoice: from the commit on, whatever comes in about it is recorded without its contents.
 * @returns whether it was not marked before.
 */
export async function markErased(db: Kysely<Tables>, invoiceId: string): Promise<boolean> {
  return (await marking.execute(db, invoiceId)).length > 0;
}

/** Up to `most` erased invoices that are to be looked at once more, the oldest first. */
export async function listUncheckedErased(db: Kysely<Tables>, most: number): Promise<string[]> {
  const rows = await db
    .selectFrom("erased_invoice")
    .select("id")
    .where("checked_at", "is", null)
    .where(sql<boolean>`erased_at < clock_timestamp() - ${CHECKED_AFTER}`)
    .orderBy("erased_at")
    .limit(most)
    .execute();
  return rows.map(({ id }) => id);
}

export async function noteChecked(db: Kysely<Tables>, invoiceId: string): Promise<void> {
  await db
    .updateTable("erased_invoice")
    .set({ checked_at: sql`clock_timestamp()` })
    .where("id", "=", invoiceId)
    .execute();
}

/** Marks the erased ones of these invoices to be looked at again: they were found in one more place. */
export async function checkErasedAgain(db: Kysely<Tables>, invoiceIds: readonly string[]): Promise<void> {
  await db
    .updateTable("erased_invoice")
    .set({ checked_at: null })
    .where(sql<boolean>`id = any(${invoiceIds}::uuid[])`)
    .execute();
}
