import { type Kysely, sql } from "kysely";
import { returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";

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
 * One that was being asked without the mark loses its lease and is asked again. Whoever wants to open one
 * waits for the end of the transaction, so that what comes later has a later `requested_at`.
 * @returns `found`: the sources in which it has a confirmation; `blanked`: how many held something.
 */
export async function eraseConfirmations(
  db: Kysely<Tables>,
  invoiceId: string,
): Promise<{ found: string[]; blanked: number }> {
  const rows = await erasing.execute(db, invoiceId);
  return { found: rows.map(({ source }) => source), blanked: rows.filter(({ held }) => held).length };
}
