import { type Insertable, type RawBuilder, sql } from "kysely";
import { returned, type Slots, Statement, typed } from "../../platform/database/index.ts";
import type { InvoicePageWritten, InvoiceWritten } from "../../provider/index.ts";
import { Refused } from "./answers.ts";
import type { InvoiceRow, InvoiceTable, PaymentMethod, ServiceDatabase } from "./tables.ts";

// All statements that write an invoice. Each change of state is one conditional UPDATE: of many at once,
// exactly one finds the invoice unpaid, and the others see what it left.

type Moment = "created_at" | "modified_at" | "expires_at";
type Document = "biller_metadata" | "beneficiaries";

/** Its times by Postgres' clock (`now()`), or given ones. */
export type NewInvoice = Omit<Insertable<InvoiceTable>, Moment | Document | "readable_at"> &
  Record<Moment, Date | RawBuilder<Date>> &
  Pick<InvoiceRow, Document>;

const ROWS_PER_INSERT = 1_000;

/** Writes it, and reads it with what its collection adds, in one statement. */
export function insertInvoice(db: ServiceDatabase, invoice: NewInvoice): Promise<InvoiceRow> {
  return db
    .with("made", (made) => made.insertInto("invoice").values(rowOf(invoice)).returningAll())
    .selectFrom("made")
    .innerJoin("collection as c", "c.id", "made.collection_id")
    .selectAll("made")
    .select(["c.name as collection_name", "c.biller_name", "c.biller_address", "c.biller_email"])
    .executeTakeFirstOrThrow();
}

export async function insertInvoices(db: ServiceDatabase, invoices: readonly NewInvoice[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (let from = 0; from < invoices.length; from += ROWS_PER_INSERT) {
      const rows = invoices.slice(from, from + ROWS_PER_INSERT).map(rowOf);
      await trx.insertInto("invoice").values(rows).execute();
    }
  });
}

const rowOf = (invoice: NewInvoice) => ({
  ...invoice,
  biller_metadata: JSON.stringify(invoice.biller_metadata),
  beneficiaries: invoice.beneficiaries === null ? null : JSON.stringify(invoice.beneficiaries),
});

export interface Payment {
  readonly method: PaymentMethod;
  /** How many callbacks it queues. */
  readonly copies: number;
  /** Keeps the payment from the API's readers for so long. */
  readonly readableAfterMs: number;
}

const updatePaid = new Statement(
  { id: returned.uuid },
  ({ value }: Slots<Payment & { invoiceId: string }>) => sql`
    with paid as (
      update invoice
      set status = 'Paid', paid_at = now(), modified_at = now(), payment_method = ${value((p) => p.method)},
        readable_at = now() + ${value((p) => p.readableAfterMs)}::float8 * interval '1 ms'
      where id = ${value(({ invoiceId }) => invoiceId)} and status = 'Unpaid' and expires_at > now()
      returning id, paid_at, callback_url, gen_random_uuid() as notification_id
    ), queued as (
      insert into delivery (invoice_id, copy, webhook_id, notification_id, queued_at, due_at, state, url)
      select id, copy, gen_random_uuid(), notification_id, paid_at, paid_at, 'due', callback_url
      from paid, generate_series(1, ${value(({ copies }) => copies)}::int) as copy
      where callback_url is not null
    )
    select id from paid`,
);

/** Pays it, if unpaid and not expired, and queues its callbacks. @returns false: nothing was written. */
export async function payInvoice(db: ServiceDatabase, invoiceId: string, payment: Payment): Promise<boolean> {
  const paid = await updatePaid.execute(db, { invoiceId, ...payment });
  return paid.length > 0;
}

/**
 * Invalidates an invoice. Checked in the interface's order: the invoice exists; it is unpaid. In between, whether
 * this kind of key may.
 * @param types the kinds of invoices that the key may invalidate. Only facts that can no longer change are read
 *   again afterwards, so that the answer is true in spite of concurrent changes.
 * @throws Refused
 */
export async function invalidateInvoice(
  db: ServiceDatabase,
  invoiceId: string,
  types: readonly InvoiceRow["type"][],
): Promise<void> {
  const changed = await db
    .updateTable("invoice")
    .set({ status: "Invalidated", modified_at: sql`now()` })
    .where("id", "=", invoiceId)
    .where("type", "in", [...types])
    .where("status", "=", "Unpaid")
    .where("expires_at", ">", typed(returned.time, sql`now()`))
    .returning("id")
    .executeTakeFirst();
  if (changed !== undefined) return;
  const invoice = await readInvoice(db, invoiceId);
  if (invoice === undefined) throw new Refused("unknownInvoice", "id names no invoice");
  throw types.includes(invoice.type)
    ? new Refused("notPayable", "id names an invoice that is not unpaid")
    : new Refused("wrongKind", "id names a Live invoice");
}

/** The invoice as it truly stands. */
export function readInvoice(db: ServiceDatabase, invoiceId: string): Promise<InvoiceRow | undefined> {
  return db.selectFrom("current_invoice").selectAll().where("id", "=", invoiceId).executeTakeFirst();
}

export function readShownInvoice(db: ServiceDatabase, invoiceId: string): Promise<InvoiceRow | undefined> {
  return db.selectFrom("readable_invoice").selectAll().where("id", "=", invoiceId).executeTakeFirst();
}

/** The invoice as the contract writes it. @param publicUrl where payers reach this service, no slash at the end. */
export function invoiceOnWire(row: InvoiceRow, publicUrl: string): InvoiceWritten {
  return {
    id: row.id,
    title: row.title,
    collectionName: row.collection_name,
    payerName: row.payer_name,
    payerEmail: row.payer_email,
    payerPhoneNumber: row.payer_phone_number,
    billerName: row.biller_name,
    billerAddress: row.biller_address,
    billerEmail: row.biller_email,
    amount: row.amount,
    serviceCharge: row.service_charge,
    vat: row.vat,
    totalAmount: row.total_amount,
    settleableAmount: row.settleable_amount,
    status: row.status,
    serviceFeePayer: row.service_fee_payer,
    settlementFrequency: row.settlement_frequency,
    type: row.type,
    paymentUrl: `${publicUrl}/pay/${row.id}`,
    dateCreated: row.created_at.toISOString(),
    dateModified: row.modified_at.toISOString(),
    billerMetaData: row.biller_metadata,
    paymentDate: row.paid_at?.toISOString() ?? null,
    paymentMethod: row.payment_method,
    invoiceBeneficiaries: row.beneficiaries,
    callBackUrl: row.callback_url,
  };
}

export function listedOnWire(row: InvoiceRow): InvoicePageWritten["items"][number] {
  return {
    id: row.id,
    title: row.title,
    amount: row.amount,
    status: row.status,
    payerName: row.payer_name,
    payerEmail: row.payer_email,
    dateCreated: row.created_at.toISOString(),
    datePaid: row.paid_at?.toISOString() ?? null,
  };
}
