import { sql, type Transaction } from "kysely";
import { type Alarm, closeAlarms } from "../../alarms/alarms.ts";
import { audit, type ByHand } from "../../alarms/audit.ts";
import { type Columns, numeric, text, uuid } from "../../database/columns.ts";
import { type Slots, Statement } from "../../database/statement.ts";
import type { Database, Tables } from "../../database/tables.ts";
import type { Money } from "../../provider/provider.ts";
import type { Difference } from "../../reconcile/certificate/certificate.ts";
import type { Signed } from "../../signing/signed.ts";
import type { BookSource } from "../book-source.ts";
import { readPayments } from "../report/read-payments.ts";
import { type CollectionSums, type KeptPayment, keptPayment, type Sums } from "./figures.ts";

/** What the bank statement of a closed month was: matched, or waived by a person. */
export type StatementProof = { matchIds: string[]; waived: null } | { matchIds: null; waived: string };

/** What a certificate of the month found different, and a person took as it is. */
export interface AcceptedDifference extends Pick<Difference, "day" | "invoiceId" | "reason" | "detail"> {
  certificateId: string;
  /** The invoice's amount by the provider's list, and in the event as it was sent; null where there is none. */
  atProvider: Money | null;
  inEvent: Money | null;
}

/** A month's closing, as it is issued. Times are ISO 8601, UTC. */
export interface Closing {
  id: string;
  source: string;
  /** YYYY-MM. */
  month: string;
  timeZone: string;
  /** Of all its amounts, ISO 4217. */
  currency: string;
  /** Payments from, and before. */
  from: string;
  to: string;
  closedAt: string;
  /** `cli:<user>` or `admin:<token's name>`. */
  closedBy: string;
  collections: CollectionSums[];
  all: Sums;
  /** The newest that cover its days, and those that differences were accepted of. */
  certificateIds: string[];
  statement: StatementProof;
  /** null where its certificates are equal; left out of older ones. */
  accepted?: { reason: string; differences: AcceptedDifference[] } | null;
}

/** A month that was closed, and perhaps reopened. */
export interface ClosedMonth {
  closing: Signed<Closing>;
  reopenedAt: Date | null;
  reopenedBy: string | null;
  reopenReason: string | null;
}

interface Keeping extends KeptPayment {
  monthId: string;
  invoiceId: string;
}

const KEEPING: Columns<Keeping> = {
  month_id: uuid(({ monthId }) => monthId),
  invoice_id: uuid(({ invoiceId }) => invoiceId),
  collection: text(({ collection }) => collection),
  amount: numeric(({ amount }) => amount),
  service_charge: numeric(({ serviceCharge }) => serviceCharge),
  vat: numeric(({ vat }) => vat),
  total: numeric(({ total }) => total),
  settleable: numeric(({ settleable }) => settleable),
};

const insertPayments = new Statement(
  {},
  ({ table }: Slots<readonly Keeping[]>) => sql`
    insert into month_payment (month_id, invoice_id, collection, amount, service_charge, vat, total, settleable)
    select month_id, invoice_id, collection, amount, service_charge, vat, total, settleable
    from ${table("keeping", KEEPING, (rows) => rows)}`,
);

/**
 * To be held while a month is closed, reopened or compared with what came later. Taken first, it is no part of a
 * snapshot: what is read after it is as of then. Whoever writes payments never waits for it.
 */
export const lockMonths = (trx: Transaction<Tables>) =>
  sql`lock table month in share row exclusive mode`.execute(trx);

const BATCH = 1_000;

/** Keeps a closing with each of its payments, in the transaction that read them. */
export async function insertMonth(
  trx: Transaction<Tables>,
  closing: Signed<Closing>,
  source: BookSource,
): Promise<void> {
  const [from, to] = [new Date(closing.from), new Date(closing.to)];
  await trx
    .insertInto("month")
    .values({
      id: closing.id,
      source: closing.source,
      month: closing.month,
      time_zone: closing.timeZone,
      currency: closing.currency,
      window_from: from,
      window_to: to,
      payments: closing.all.payments,
      closed_at: new Date(closing.closedAt),
      closed_by: closing.closedBy,
      document: JSON.stringify(closing),
    })
    .execute();
  let batch: Keeping[] = [];
  for await (const payment of readPayments(trx, { source, from, to, forSums: true })) {
    batch.push({ monthId: closing.id, invoiceId: payment.invoiceId, ...keptPayment(payment) });
    if (batch.length < BATCH) continue;
    await insertPayments.execute(trx, batch);
    batch = [];
  }
  if (batch.length > 0) await insertPayments.execute(trx, batch);
}

/** The alarm about what changed in a month after it was closed. */
export const changedMonth = (source: string, month: string): Omit<Alarm, "detail"> => ({
  name: "closed_month_changed",
  source,
  subject: month,
});

interface Reopening extends ByHand {
  source: string;
  month: string;
  reason: string;
}

/** Opens a month again, whose addenda are seen to by then. @returns false when it is not closed. */
export const reopenMonth = ({ db, actor, reason, source, month }: Reopening): Promise<boolean> =>
  db.transaction().execute(async (trx) => {
    await lockMonths(trx);
    const reopened = await trx
      .updateTable("month")
      .set({ reopened_at: sql`clock_timestamp()`, reopened_by: actor, reopen_reason: reason })
      .where("source", "=", source)
      .where("month", "=", month)
      .where("reopened_at", "is", null)
      .returning("id")
      .executeTakeFirst();
    if (reopened === undefined) return false;
    const about = changedMonth(source, month);
    await closeAlarms(trx, [about.name], [about]);
    await audit(trx, [
      {
        ...{ actor, action: "month.reopen", subject: month, invoiceId: null, reason },
        detail: { source, id: reopened.id },
      },
    ]);
    return true;
  });

/** Each closing of some months, the newest first. */
export async function readClosings(
  db: Database,
  { sources, month }: { sources: readonly string[]; month?: string | undefined },
): Promise<ClosedMonth[]> {
  let query = db
    .selectFrom("month")
    .select(["document", "reopened_at", "reopened_by", "reopen_reason"])
    .where("source", "in", [...sources])
    .orderBy("month", "desc")
    .orderBy("source")
    .orderBy("closed_at", "desc");
  if (month !== undefined) query = query.where("month", "=", month);
  return (await query.execute()).map((row) => ({
    closing: row.document as Signed<Closing>,
    reopenedAt: row.reopened_at,
    reopenedBy: row.reopened_by,
    reopenReason: row.reopen_reason,
  }));
}
