import { type Expression, type SqlBool, sql } from "kysely";
import type { InvoiceRow, InvoiceStatus, InvoiceType, ServiceDatabase } from "./service-tables.ts";

export interface ListQuestion {
  readonly collectionId: string;
  /** null for all. */
  readonly status: InvoiceStatus | null;
  /** null for both. */
  readonly type: InvoiceType | null;
  /** Looked for in title, payer's name and e-mail, and id; without case. */
  readonly search: string | null;
  /** First day, YYYY-MM-DD, UTC. */
  readonly startDate: string | null;
  /** Last day, YYYY-MM-DD, UTC, included. */
  readonly endDate: string | null;
  readonly datesMean: "creation" | "payment";
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
}

const DAY_MS = 86_400_000;

/** One page, newest created first, and how many invoices match in all; both from one snapshot. */
export function listInvoices(
  db: ServiceDatabase,
  question: ListQuestion,
): Promise<{ rows: InvoiceRow[]; totalCount: number }> {
  const { page, pageSize } = question;
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (trx) => {
      const { count } = await matching(trx, question)
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      // The page's ids first: sorting a whole month by full rows would not fit in memory.
      const ids = matching(trx, question)
        .select("id")
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(pageSize)
        .offset((page - 1) * pageSize);
      const rows = await trx
        .selectFrom("readable_invoice")
        .selectAll()
        .where("id", "in", ids)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .execute();
      return { rows, totalCount: count };
    });
}

function matching(db: ServiceDatabase, question: ListQuestion) {
  const { collectionId, status, type, search, startDate, endDate } = question;
  const dateColumn = question.datesMean === "creation" ? "created_at" : "paid_at";
  return db.selectFrom("readable_invoice").where(({ eb, and, or }) => {
    const terms: Expression<SqlBool>[] = [eb("collection_id", "=", collectionId)];
    if (status !== null) terms.push(eb("status", "=", status));
    if (type !== null) terms.push(eb("type", "=", type));
    if (startDate !== null) terms.push(eb(dateColumn, ">=", startOf(startDate)));
    if (endDate !== null) terms.push(eb(dateColumn, "<", new Date(startOf(endDate).getTime() + DAY_MS)));
    if (search !== null) {
      const pattern = `%${search.replaceAll(/[\\%_]/g, "\\$&")}%`;
      const texts = [eb.ref("title"), eb.ref("payer_name"), eb.ref("payer_email"), sql`id::text`];
      terms.push(or(texts.map((text) => sql<SqlBool>`${text} ilike ${pattern}`)));
    }
    return and(terms);
  });
}

const startOf = (day: string) => new Date(`${day}T00:00:00Z`);
