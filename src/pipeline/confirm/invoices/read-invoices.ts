import { type RawBuilder, sql } from "kysely";
import {
  type Database,
  nullable,
  query,
  returned,
  type Slots,
  Statement,
  sourcesIn,
} from "../../../platform/database/index.ts";
import { KEY } from "../queue/change-confirmations.ts";
import type { ConfirmationKey } from "../queue/confirmation.ts";

/**
 * A condition on rows of `asked`: the invoice is not stored. Not `not exists`, which Postgres would turn into
 * a join with all invoices.
 */
export const noInvoiceIsKnown = sql<boolean>`
  (select invoice.id from invoice
    where invoice.source = asked.source and invoice.id = asked.invoice_id) is null`;

/**
 * A document of the provider's as Postgres can look into it: of one with an escaped NUL or half a surrogate pair,
 * in whichever field, it reads no field at all. U+FFFD stands for them here.
 */
export const readableDocument = (document: RawBuilder<unknown>) => sql`
  case when strpos(${document}::text, '\\u') > 0
    then regexp_replace(${document}::text, '\\\\u(0000|[dD][89a-fA-F]..)', '\\\\ufffd', 'g')::json
    else ${document} end`;

/** All that `trim` takes from a text's ends; Postgres by itself takes spaces only. */
const BLANKS =
  " \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff";

/** A column of statuses or types as `plainStatus` gives them. */
export const plainColumn = (column: string) =>
  sql`lower(btrim(${sql.ref(column)}, ${sql.lit(BLANKS)}) collate "C")`;

/** A condition on rows of `invoice`: the status is one of these. @param statuses made by `plainStatuses`. */
export const hasStatus = (statuses: RawBuilder<unknown>) =>
  sql<boolean>`${plainColumn("invoice.status")} = any(${statuses}::text[])`;

const selectNewest = query((db, source: string) =>
  db
    .selectFrom("invoice")
    .select("id")
    .where("source", "=", source)
    .where("paid_at", "is not", null)
    .orderBy("paid_at", "desc")
    .limit(1),
);

/** The invoice paid last, and so one that the provider knew; null without a paid invoice. */
export const newestInvoiceId = async (db: Database, source: string): Promise<string | null> =>
  (await selectNewest(db, source).executeTakeFirst())?.id ?? null;

const selectDescriptions = new Statement(
  {
    invoiceId: returned.uuid,
    source: returned.text(),
    reference: nullable(returned.text()),
    collection: nullable(returned.text()),
  },
  ({ table }: Slots<readonly ConfirmationKey[]>) => sql`
    select invoice.id as "invoiceId", invoice.source, invoice.reference,
      invoice.collection_name as collection
    from ${table("given", KEY, (keys) => keys)}
    join invoice on invoice.source = given.source and invoice.id = given.invoice_id`,
);

/**
 * The fields by which a person recognises these invoices, in no order; invoices that are not stored are left
 * out.
 */
export const describePayments = async (db: Database, keys: readonly ConfirmationKey[]) =>
  keys.length === 0 ? [] : await selectDescriptions.execute(db, keys);

interface AnswersQuery {
  invoiceId: string;
  limit: number;
}

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

const selectAnswers = new Statement(ANSWER, ({ value }: Slots<AnswersQuery>) => {
  const id = value(({ invoiceId }) => invoiceId);
  const limit = value((asked) => asked.limit);
  return sql`
      select source, true as newest, status, asked_at as "askedAt", document::text as document,
        erased_at as "erasedAt"
      from invoice where source = any(${sourcesIn("invoice")}) and id = ${id}
      union all
      (select source, false, status, asked_at, document::text, erased_at from invoice_snapshot
        where source = any(${sourcesIn("invoice_snapshot")}) and invoice_id = ${id}
        order by asked_at desc limit ${limit})
      order by 2 desc, 4 desc limit ${limit}`;
});

/** Every answer that is kept, the newest first. */
export const answersOf = (db: Database, invoiceId: string, limit: number) =>
  selectAnswers.execute(db, { invoiceId, limit });

const selectAnswersInOrder = new Statement(
  { at: returned.time, source: returned.text(), status: returned.text() },
  ({ value }: Slots<AnswersQuery>) => {
    const id = value(({ invoiceId }) => invoiceId);
    return sql`
      (select asked_at as at, source, status
        from invoice_snapshot
        where source = any(${sourcesIn("invoice_snapshot")}) and invoice_id = ${id}
        order by asked_at desc limit ${value(({ limit }) => limit)})
      union all
      select asked_at, source, status
      from invoice where source = any(${sourcesIn("invoice")}) and id = ${id}
      order by 1`;
  },
);

/**
 * When answers were asked for, the first one first: each source's newest and, of those it
 * replaced, the `limit` last ones.
 */
export const answersInOrder = (db: Database, invoiceId: string, limit: number) =>
  selectAnswersInOrder.execute(db, { invoiceId, limit });
