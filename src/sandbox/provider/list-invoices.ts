import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from "kysely";
import { DAY_MS, startOf } from "../../platform/values/index.ts";
import type { InvoiceFilter } from "../../provider/index.ts";
import type { InvoiceRow, InvoiceStatus, InvoiceType, ServiceDatabase, ServiceTables } from "./tables.ts";

/** Days are UTC, both included, of creation. */
interface ListRequest extends Pick<InvoiceFilter, "startDate" | "endDate"> {
  readonly collectionId: string;
  /** null for all. */
  readonly status: InvoiceStatus | null;
  /** null for both. */
  readonly type: InvoiceType | null;
  /** Looked for in title, payer's name and e-mail, and id; without case. */
  readonly search?: string | undefined;
  /** Only invoices that this account has a share in; null for all. */
  readonly linkedAccountId: string | null;
  /** From 1. */
  readonly page: number;
  /** null for all invoices on one page. */
  readonly pageSize: number | null;
}

/** One page, newest first, and how many invoices match in all; both from one snapshot. */
export function listInvoices(
  db: ServiceDatabase,
  request: ListRequest,
): Promise<{ rows: InvoiceRow[]; totalCount: number }> {
  const { page, pageSize } = request;
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (trx) => {
      const { count } = await selectMatching(trx, request)
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      // The page's ids first: sorting a whole month by full rows would not fit in memory.
      const ids = newestFirst(selectMatching(trx, request).select("id"));
      const ofPage = pageSize === null ? ids : ids.limit(pageSize).offset((page - 1) * pageSize);
      const rows = await newestFirst(
        trx.selectFrom("readable_invoice").selectAll().where("id", "in", ofPage),
      ).execute();
      return { rows, totalCount: count };
    });
}

const newestFirst = <Row>(query: SelectQueryBuilder<ServiceTables, "readable_invoice", Row>) =>
  query.orderBy("created_at", "desc").orderBy("id", "desc");

function selectMatching(db: ServiceDatabase, request: ListRequest) {
  const { collectionId, status, type, search, startDate, endDate, linkedAccountId } = request;
  return db.selectFrom("readable_invoice").where(({ eb, and, or }) => {
    const terms: Expression<SqlBool>[] = [eb("collection_id", "=", collectionId)];
    if (status !== null) terms.push(eb("status", "=", status));
    if (type !== null) terms.push(eb("type", "=", type));
    if (startDate !== undefined) terms.push(eb("created_at", ">=", startOf(startDate)));
    if (endDate !== undefined)
      terms.push(eb("created_at", "<", new Date(startOf(endDate).getTime() + DAY_MS)));
    if (search !== undefined) {
      const pattern = `%${search.replaceAll(/[\\%_]/g, "\\$&")}%`;
      const texts = [eb.ref("title"), eb.ref("payer_name"), eb.ref("payer_email"), sql`id::text`];
      terms.push(or(texts.map((text) => sql<SqlBool>`${text} ilike ${pattern}`)));
    }
    if (linkedAccountId !== null) terms.push(hasShare(linkedAccountId));
    return and(terms);
  });
}

/** An invoice's own beneficiaries share it, or else the accounts of its collection. */
const hasShare = (id: string) => sql<SqlBool>`case when beneficiaries is null
  then exists (
    select from collection_account a
    where a.collection_id = readable_invoice.collection_id and a.linked_account_id = ${id})
  else beneficiaries::jsonb @> ${JSON.stringify([{ linkedAccountId: id }])}::jsonb end`;
