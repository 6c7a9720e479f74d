import { sql } from "kysely";
import { plainColumn } from "../../confirm/invoices/read-invoices.ts";
import {
  boolean,
  type Columns,
  numeric,
  returned,
  type Slots,
  Statement,
  tableOf,
  text,
  time,
  uuid,
} from "../../database/statement.ts";
import type { Database } from "../../database/tables.ts";
import { inKeyOrder } from "../../database/transactions.ts";
import type { ListedPayment } from "../list/listed-payment.ts";

// All writes to `listed_payment`: what lists and Get Invoice showed, while a certificate is made.

interface Shown {
  invoiceId: string;
  payment: ListedPayment | null;
}

const SHOWN: Columns<Shown> = {
  invoice_id: uuid(({ invoiceId }) => invoiceId),
  listed: boolean(({ payment }) => payment !== null),
  live: boolean(({ payment }) => payment?.asked === "Live"),
  test: boolean(({ payment }) => payment?.asked === "Test"),
  label: text(({ payment }) => payment?.label ?? null),
  digest: text(({ payment }) => payment?.digest ?? null),
  amount: numeric(({ payment }) => payment?.amount ?? null),
  paid_at: time(({ payment }) => payment?.paidAt ?? null),
  paid_until: time(({ payment }) => payment?.paidUntil ?? null),
  created_at: time(({ payment }) => payment?.createdAt ?? null),
};

interface ShownPage {
  certificateId: string;
  collectionId: string;
  reading: number;
  shown: readonly Shown[];
}

const noteShownPage = new Statement({ known: returned.count }, ({ value, table }: Slots<ShownPage>) => {
  const certificateId = sql`${value((page) => page.certificateId)}::uuid`;
  const reading = sql`${value((page) => page.reading)}::integer`;
  return sql`
      with noted as (
        insert into listed_payment as known
          (certificate_id, collection_id, reading, invoice_id, listed, live, test,
          label, digest, lacks_amount, amount, paid_at, paid_until, created_at)
        select ${certificateId}, ${value((page) => page.collectionId)}::uuid, ${reading}, invoice_id, listed, live,
          test, label, digest, listed and amount is null, amount, paid_at, paid_until, created_at
        from ${table("shown", SHOWN, ({ shown }) => shown)} order by invoice_id
        on conflict (certificate_id, invoice_id) do update set
          collection_id = excluded.collection_id, reading = excluded.reading,
          listed = known.listed or excluded.listed,
          live = known.live or excluded.live, test = known.test or excluded.test,
          label = coalesce(excluded.label, known.label), digest = coalesce(excluded.digest, known.digest),
          lacks_amount = coalesce(known.amount, excluded.amount) is null and (known.listed or excluded.listed),
          amounts_differ = known.amounts_differ or coalesce(known.amount <> excluded.amount, false),
          amount = coalesce(known.amount, excluded.amount),
          paid_at = coalesce(known.paid_at, excluded.paid_at),
          paid_until = coalesce(known.paid_until, excluded.paid_until),
          created_at = coalesce(known.created_at, excluded.created_at)
        where known.reading <> excluded.reading or (excluded.listed and not known.listed))
      select count(*) as known from listed_payment
      where certificate_id = ${certificateId} and reading = ${reading}
        and invoice_id = any(${value(({ shown }) => shown.map(({ invoiceId }) => invoiceId))}::uuid[])`;
});

/**
 * Stores what a page showed, merged with what other pages showed of the same invoices.
 * @returns how many ids this reading has not shown before; one that was paid meanwhile is known.
 */
export async function noteShown(
  db: Database,
  certificateId: string,
  collectionId: string,
  reading: number,
  ids: readonly string[],
  payments: readonly ListedPayment[],
): Promise<number> {
  if (ids.length === 0) return 0;
  const byId = new Map(payments.map((payment) => [payment.invoiceId, payment]));
  const shown = ids.map((invoiceId) => ({ invoiceId, payment: byId.get(invoiceId) ?? null }));
  const [row] = await noteShownPage.execute(db, { certificateId, collectionId, reading, shown });
  return ids.length - (row?.known ?? 0);
}

/** What Get Invoice said about one invoice. */
export interface AskedInvoice {
  invoiceId: string;
  asked: "paid" | "not_paid" | "unknown" | "not_found" | "unclear";
  status: string | null;
  type: string | null;
  collection: string | null;
  amount: string | null;
  paidAt: Date | null;
  createdAt: Date | null;
}

const ASKED: Columns<AskedInvoice> = {
  invoice_id: uuid(({ invoiceId }) => invoiceId),
  asked: text(({ asked }) => asked),
  status: text(({ status }) => status),
  type: text(({ type }) => type),
  collection: text(({ collection }) => collection),
  amount: numeric(({ amount }) => amount),
  paid_at: time(({ paidAt }) => paidAt),
  created_at: time(({ createdAt }) => createdAt),
};

export async function noteAsked(
  db: Database,
  certificateId: string,
  answers: readonly AskedInvoice[],
): Promise<void> {
  await sql`
    update listed_payment set asked = answer.asked, asked_status = answer.status, asked_type = answer.type,
      asked_collection = answer.collection, asked_amount = answer.amount, asked_paid_at = answer.paid_at,
      asked_created_at = answer.created_at
    from ${tableOf("answer", ASKED, answers)}
    where certificate_id = ${certificateId} and listed_payment.invoice_id = answer.invoice_id`.execute(db);
}

const AT_ONCE = 20_000;

/** Deletes what the lists showed, once the certificate is made; in parts, however long they were. */
export async function forgetListed(db: Database, certificateId: string): Promise<void> {
  const deleteListed = sql`
    delete from listed_payment where ctid = any(array(
      select ctid from listed_payment where certificate_id = ${certificateId}
      order by invoice_id limit ${AT_ONCE}))`;
  for (;;) {
    const { numAffectedRows } = await inKeyOrder(db, (trx) => deleteListed.execute(trx));
    if (Number(numAffectedRows) < AT_ONCE) return;
  }
}

/** How many invoices the lists showed, how many of them may be paid, how many were asked about, and all there are. */
export const countListed = (
  db: Database,
  certificateId: string,
): Promise<{ read: number; listed: number; asked: number; inAll: number }> =>
  db
    .selectFrom("listed_payment")
    .select(({ fn }) => [
      fn.countAll<number>().as("inAll"),
      fn.countAll<number>().filterWhere("listed", "=", true).as("listed"),
      fn.count<number>("asked").as("asked"),
      fn.count<number>("collection_id").as("read"),
    ])
    .where("certificate_id", "=", certificateId)
    .executeTakeFirstOrThrow();

/** How many of a collection the list calls something that is none of these. @param labels made by `plainStatuses`. */
export async function countOtherwiseLabelled(
  db: Database,
  certificateId: string,
  collectionId: string,
  labels: readonly string[],
): Promise<number> {
  const { count } = await db
    .selectFrom("listed_payment")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("certificate_id", "=", certificateId)
    .where("collection_id", "=", collectionId)
    .where("listed", "=", true)
    .where(sql<boolean>`(label is null or ${plainColumn("label")} <> all(${labels}::text[]))`)
    .executeTakeFirstOrThrow();
  return count;
}

/** Whether no list has shown an invoice of this collection, created since, that Get Invoice calls paid. */
export async function lacksPayment(
  db: Database,
  certificateId: string,
  collection: string,
  since: Date,
): Promise<boolean> {
  const row = await db
    .selectFrom("listed_payment")
    .select("invoice_id")
    .where("certificate_id", "=", certificateId)
    .where(sql<boolean>`not listed and asked = 'paid' and asked_collection = ${collection}
      and coalesce(asked_created_at >= ${since}, true)`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
