import { type Kysely, sql } from "kysely";
import { type Columns, text, uuid } from "../../database/columns.ts";
import { sourcesIn } from "../../database/sources-in.ts";
import { nullable, type RowOf, returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";

const ANSWER = {
  source: returned.text(),
  /** The newest of its source. */
  newest: returned.boolean,
  status: returned.text(),
  askedAt: returned.time,
  /** The provider's JSON: personal data included, callback tokens masked. */
  document: returned.text(),
  erasedAt: nullable(returned.time),
};

/** What the provider answered about an invoice at one time. */
export type KeptAnswer = RowOf<typeof ANSWER>;

interface Asked {
  invoiceId: string;
  most: number;
}

const reading = new Statement(ANSWER, ({ value }: Slots<Asked>) => {
  const id = value(({ invoiceId }) => invoiceId);
  const most = value((asked) => asked.most);
  return sql`
      select source, true as newest, status, asked_at as "askedAt", document::text as document,
        erased_at as "erasedAt"
      from invoice where source = any(${sourcesIn("invoice")}) and id = ${id}
      union all
      (select source, false, status, asked_at, document::text, erased_at from invoice_snapshot
        where source = any(${sourcesIn("invoice_snapshot")}) and invoice_id = ${id}
        order by asked_at desc limit ${most})
      order by 2 desc, 4 desc limit ${most}`;
});

/** Every answer that is kept, the newest first. */
export const answersOf = (db: Kysely<Tables>, invoiceId: string, most: number) =>
  reading.execute(db, { invoiceId, most });

const readingInOrder = new Statement(
  { at: returned.time, source: returned.text(), status: returned.text(), storedAt: returned.time },
  ({ value }: Slots<Asked>) => {
    const id = value(({ invoiceId }) => invoiceId);
    return sql`
      (select asked_at as at, source, status, recorded_at as "storedAt"
        from invoice_snapshot
        where source = any(${sourcesIn("invoice_snapshot")}) and invoice_id = ${id}
        order by asked_at desc limit ${value(({ most }) => most)})
      union all
      select asked_at, source, status, confirmed_at
      from invoice where source = any(${sourcesIn("invoice")}) and id = ${id}
      order by 1`;
  },
);

/**
 * When answers were asked for and stored, the first one first: each source's newest and, of those it
 * replaced, the `most` last ones.
 */
export const answersInOrder = (db: Kysely<Tables>, invoiceId: string, most: number) =>
  readingInOrder.execute(db, { invoiceId, most });

interface Key {
  invoiceId: string;
  source: string;
}

const KEY: Columns<Key> = {
  invoice_id: uuid(({ invoiceId }) => invoiceId),
  source: text(({ source }) => source),
};

const describing = new Statement(
  {
    invoiceId: returned.uuid,
    source: returned.text(),
    reference: nullable(returned.text()),
    collection: nullable(returned.text()),
    totalAmount: nullable(returned.numeric),
  },
  ({ table }: Slots<readonly Key[]>) => sql`
    select invoice.id as "invoiceId", invoice.source, invoice.reference,
      invoice.collection_name as collection, invoice.total_amount as "totalAmount"
    from ${table("given", KEY, (keys) => keys)}
    join invoice on invoice.source = given.source and invoice.id = given.invoice_id`,
);

/** What a person knows these invoices by; those that are not stored are left out. In no order. */
export const describePayments = async (db: Kysely<Tables>, keys: readonly Key[]) =>
  keys.length === 0 ? [] : await describing.execute(db, keys);
