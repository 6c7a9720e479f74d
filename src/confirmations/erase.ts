import { type Kysely, sql } from "kysely";
import { returned, type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";

const erasing = new Statement(
  { source: returned.text(), held: returned.boolean },
  ({ value }: Slots<string>) => {
    const id = value((invoiceId) => invoiceId);
    return sql`
      with known as (
        select source, erased_at is null or last_answer is not null or sender is not null as held
        from confirmation where invoice_id = ${id} order by source for update)
      update confirmation set erased_at = clock_timestamp(), last_answer = null, sender = null,
        state = case when state = 'claimed' and erased_at is null then 'due' else state end,
        lease_token = case when erased_at is null then null else lease_token end,
        claimed_until = case when erased_at is null then null else claimed_until end
      from known where confirmation.invoice_id = ${id} and confirmation.source = known.source
      returning known.source, known.held`;
  },
);

/**
 * Marks the confirmations of an invoice, so that later answers bring nothing back, and blanks the evidence.
 * An answer that was under way without the mark loses its lease: it is asked again. Whoever wants to open
 * them waits for the end of the transaction, so that what comes later has a later `requested_at`.
 * @returns `found`: the sources that it has a confirmation in; `blanked`: how many held something.
 */
export async function eraseConfirmations(
  db: Kysely<Tables>,
  invoiceId: string,
): Promise<{ found: string[]; blanked: number }> {
  const rows = await erasing.execute(db, invoiceId);
  return { found: rows.map(({ source }) => source), blanked: rows.filter(({ held }) => held).length };
}

/**
 * Erased invoices that somebody asked about since, so that callbacks about them may have come: `most` of
 * them.
 */
export async function reopenedSinceErased(db: Kysely<Tables>, most: number): Promise<string[]> {
  const rows = await db
    .selectFrom("confirmation")
    .select("invoice_id as invoiceId")
    .distinct()
    .where("erased_at", "is not", null)
    .whereRef("requested_at", ">=", "erased_at")
    .limit(most)
    .execute();
  return rows.map(({ invoiceId }) => invoiceId);
}
