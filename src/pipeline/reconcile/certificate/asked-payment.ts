import { type RawBuilder, sql } from "kysely";
import {
  type Columns,
  command,
  type Database,
  inKeyOrder,
  numeric,
  returned,
  type Slots,
  Statement,
  tableOf,
  text,
  time,
  uuid,
} from "../../../platform/database/index.ts";

// The statements on `asked_payment`: what a certificate asks Get Invoice about, and what that said.

/** Get Invoice's answer about an invoice. */
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

export const noteAsked = command(
  (certificateId: string, answers: readonly AskedInvoice[]) => sql`
    insert into asked_payment
      (certificate_id, invoice_id, asked, status, type, collection, amount, paid_at, created_at)
    select ${certificateId}::uuid, invoice_id, asked, status, type, collection, amount, paid_at, created_at
    from ${tableOf("answer", ASKED, answers)} order by invoice_id
    on conflict (certificate_id, invoice_id) do update set asked = excluded.asked, status = excluded.status,
      type = excluded.type, collection = excluded.collection, amount = excluded.amount,
      paid_at = excluded.paid_at, created_at = excluded.created_at`,
  "",
  [],
);

/** The lists as a certificate reads them: what they showed since then is listed. */
export interface CertifiedLists {
  certificateId: string;
  source: string;
  seenSince: Date;
}

/** Adds invoices that only the books have. @param found yields their ids */
export const addingBooked = <Given>(found: (slots: Slots<Given>) => RawBuilder<unknown>) =>
  new Statement({}, (slots: Slots<Given & CertifiedLists>) => {
    const { value } = slots;
    return sql`
      insert into asked_payment (certificate_id, invoice_id)
      select distinct ${value(({ certificateId }) => certificateId)}::uuid, id from (${found(slots)}) as found
      where not exists (select from listed_payment as listed
        where listed.source = ${value(({ source }) => source)} and listed.invoice_id = found.id
          and listed.seen_at >= ${value(({ seenSince }) => seenSince)})
      on conflict do nothing`;
  });

/** The ids that a certificate compares, in id order: those that the lists showed, and those only the books have. */
export const certifiedIds = <Given extends CertifiedLists & { after: string }>(
  { value }: Slots<Given>,
  limit: number,
) => {
  const after = sql`${value((given) => given.after)}::uuid`;
  return sql`
    select invoice_id from (
      (select invoice_id from listed_payment
        where source = ${value((given) => given.source)}::text
          and seen_at >= ${value((given) => given.seenSince)}::timestamptz and invoice_id > ${after}
        order by invoice_id limit ${sql.lit(limit)})
      union
      (select invoice_id from asked_payment
        where certificate_id = ${value((given) => given.certificateId)}::uuid and invoice_id > ${after}
        order by invoice_id limit ${sql.lit(limit)})) as either
    order by invoice_id limit ${sql.lit(limit)}`;
};

/** Joins what lists and Get Invoice said to `work`, rows of `certifiedIds`. */
export const joinListedAndAsked = <Given extends CertifiedLists>({ value }: Slots<Given>) => sql`
  left join listed_payment as listed on listed.source = ${value(({ source }) => source)}::text
    and listed.invoice_id = work.invoice_id and listed.seen_at >= ${value(({ seenSince }) => seenSince)}::timestamptz
  left join asked_payment as asked on asked.certificate_id = ${value(({ certificateId }) => certificateId)}::uuid
    and asked.invoice_id = work.invoice_id`;

const AT_ONCE = 20_000;

const deleteAsked = command(
  (certificateId: string) => sql`
    delete from asked_payment where ctid = any(array(
      select ctid from asked_payment where certificate_id = ${certificateId}
      order by invoice_id limit ${sql.lit(AT_ONCE)}))`,
);

/** Deletes what was asked for a certificate, once it is made; in parts, however much that was. */
export async function forgetAsked(db: Database, certificateId: string): Promise<void> {
  while ((await inKeyOrder(db, (trx) => deleteAsked(trx, certificateId))) === AT_ONCE);
}

const selectCounts = new Statement(
  { listed: returned.count, asked: returned.count },
  ({ value }: Slots<CertifiedLists>) => sql`
    select (select count(*) from listed_payment
        where source = ${value(({ source }) => source)}
          and seen_at >= ${value(({ seenSince }) => seenSince)}::timestamptz) as listed,
      count(asked) as asked
    from asked_payment where certificate_id = ${value(({ certificateId }) => certificateId)}::uuid`,
);

/** How many payments the lists showed, and how many invoices were asked about. */
export async function countCertified(
  db: Database,
  lists: CertifiedLists,
): Promise<{ listed: number; asked: number }> {
  const [counts] = await selectCounts.execute(db, lists);
  return counts ?? { listed: 0, asked: 0 };
}
