import { type Kysely, sql } from "kysely";
import { type Columns, text, uuid } from "../database/columns.ts";
import { sourcesIn } from "../database/sources-in.ts";
import { nullable, returned, type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";

/** What the provider answered about an invoice at one time. */
export interface KeptAnswer {
  source: string;
  /** The newest of its source. */
  newest: boolean;
  status: string;
  askedAt: Date;
  /** The provider's JSON: personal data included, callback tokens masked. */
  document: string;
  erasedAt: Date | null;
}

/** Every answer that is kept, the newest first. */
export async function answersOf(db: Kysely<Tables>, invoiceId: string, most: number): Promise<KeptAnswer[]> {
  const { rows } = await sql<KeptAnswer>`
    select source, true as newest, status, asked_at as "askedAt", document::text as document,
      erased_at as "erasedAt"
    from invoice where source = any(${sourcesIn("invoice")}) and id = ${invoiceId}
    union all
    (select source, false, status, asked_at, document::text, erased_at from invoice_snapshot
      where source = any(${sourcesIn("invoice_snapshot")}) and invoice_id = ${invoiceId}
      order by asked_at desc limit ${most})
    order by 2 desc, 4 desc limit ${most}`.execute(db);
  return rows;
}

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
