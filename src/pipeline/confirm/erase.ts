import { type RawBuilder, sql } from "kysely";
import {
  command,
  type Database,
  query,
  returned,
  type Slots,
  Statement,
} from "../../platform/database/index.ts";
import { ERASED_COLUMNS } from "../../platform/values/index.ts";
import { erasedDocument } from "./invoices/confirmed-invoice.ts";

/**
 * The delay from the mark of an invoice to its second check: longer than any statement runs that may not have
 * seen the mark.
 */
const CHECKED_AFTER = sql`interval '1 minute'`;

/** A condition: one of these ids is that of an erased invoice. */
export const namesErased = (ids: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  exists (select from erased_invoice where erased_invoice.id = any(${ids}))`;

/** A condition: one of these ids is that of an invoice that is not erased. */
export const namesLegibleInvoice = (
  source: RawBuilder<unknown>,
  ids: RawBuilder<unknown>,
): RawBuilder<boolean> => sql`
  exists (select from invoice as named
    where named.source = ${source} and named.id = any(${ids}) and named.erased_at is null)`;

const insertMark = new Statement(
  { isNew: returned.boolean },
  ({ value }: Slots<string>) => sql`
    insert into erased_invoice (id) values (${value((invoiceId) => invoiceId)})
    on conflict (id) do nothing returning true as "isNew"`,
);

/**
 * Marks an invoice: from the commit on, all that comes in about it is recorded without its contents.
 * @returns whether it was not marked before.
 */
export async function markErased(db: Database, invoiceId: string): Promise<boolean> {
  return (await insertMark.execute(db, invoiceId)).length > 0;
}

/** Up to `limit` erased invoices that are due for their second check, the oldest first. */
const IS_TO_CHECK = sql<boolean>`
  checked_at is null and erased_at not between clock_timestamp() - ${CHECKED_AFTER} and clock_timestamp()`;

/** A condition: `listUncheckedErased` has some. */
export const someErasedAreUnchecked = sql<boolean>`exists (select from erased_invoice where ${IS_TO_CHECK})`;

const selectUnchecked = query((db, limit: number) =>
  db.selectFrom("erased_invoice").select("id").where(IS_TO_CHECK).orderBy("erased_at").limit(limit),
);

export const listUncheckedErased = async (db: Database, limit: number): Promise<string[]> =>
  (await selectUnchecked(db, limit).execute()).map(({ id }) => id);

export const noteChecked = command(
  (invoiceId: string) => sql`
    update erased_invoice set checked_at = clock_timestamp() where id = ${invoiceId}`,
);

const updateConfirmations = new Statement(
  { source: returned.text(), held: returned.boolean },
  ({ value }: Slots<string>) => {
    const id = value((invoiceId) => invoiceId);
    return sql`
      with known as (
        select source, erased_at is null or last_answer is not null as held
        from confirmation where invoice_id = ${id} order by source for update)
      update confirmation set erased_at = clock_timestamp(), last_answer = null,
        state = case when state = 'claimed' and erased_at is null then 'due' else state end,
        lease_token = case when erased_at is null then null else lease_token end,
        claimed_until = case when erased_at is null then null else claimed_until end
      from known where confirmation.invoice_id = ${id} and confirmation.source = known.source
      returning known.source, known.held`;
  },
);

/**
 * Marks the confirmations of an invoice, so that later answers restore nothing, and blanks the evidence. A
 * confirmation that was being asked without the mark loses its lease and is asked again. A process that opens
 * one waits for the end of the transaction, so that later requests have a later `requested_at`.
 * @returns `found`: the sources in which it has a confirmation; `blanked`: how many held something.
 */
export async function eraseConfirmations(
  db: Database,
  invoiceId: string,
): Promise<{ found: string[]; blanked: number }> {
  const rows = await updateConfirmations.execute(db, invoiceId);
  return { found: rows.map(({ source }) => source), blanked: rows.filter(({ held }) => held).length };
}

/** The merchant's own name for an invoice, in the books of one source. */
export interface ReferenceOfInvoice {
  source: string;
  reference: string;
}

const NOTHING_PERSONAL = sql.join(ERASED_COLUMNS.map((column) => sql`${sql.ref(column)} = null`));

const updatePayments = new Statement(
  {
    found: returned.count,
    references: returned.json<ReferenceOfInvoice[]>(),
    invoices: returned.count,
    snapshots: returned.count,
  },
  ({ value }: Slots<{ invoiceId: string; sources: readonly string[] }>) => {
    const id = sql`${value(({ invoiceId }) => invoiceId)}::uuid`;
    const sources = sql`${value((given) => given.sources)}::text[]`;
    const document = sql`${value(({ invoiceId }) => erasedDocument(invoiceId))}::json`;
    return sql`
      with known as (
        select count(*) as found,
          coalesce(json_agg(json_build_object('source', source, 'reference', reference))
            filter (where reference is not null), '[]') as references
        from invoice where source = any(${sources}) and id = ${id}),
      invoices as (
        update invoice set erased_at = clock_timestamp(), document = ${document}, ${NOTHING_PERSONAL}
        where source = any(${sources}) and id = ${id} and erased_at is null
        returning 1),
      snapshots as (
        update invoice_snapshot set erased_at = clock_timestamp(), document = ${document}
        where source = any(${sources}) and invoice_id = ${id} and erased_at is null
        returning 1)
      select known.found, known.references, (select count(*) from invoices) as invoices,
        (select count(*) from snapshots) as snapshots
      from known`;
  },
);

/**
 * Blanks the personal data of an invoice and of its snapshots; ids and amounts stay.
 * @param sources all that may hold it: the tables are looked up by source first.
 * @returns `found`: in how many sources it is stored; the references that it had until now; the others: how
 *   many rows were blanked.
 */
export async function erasePayments(
  db: Database,
  invoiceId: string,
  sources: readonly string[],
): Promise<{ found: number; references: ReferenceOfInvoice[]; invoices: number; snapshots: number }> {
  const [erased] = await updatePayments.execute(db, { invoiceId, sources });
  return erased ?? { found: 0, references: [], invoices: 0, snapshots: 0 };
}
