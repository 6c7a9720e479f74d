import { sql, type Transaction } from "kysely";
import { z } from "zod";
import { type Alarm, closeAlarms } from "../../alarms/alarms.ts";
import { audit, type ByHand } from "../../alarms/audit.ts";
import { plainStatuses } from "../../confirm/invoices/status-class.ts";
import { type Columns, numeric, text, uuid } from "../../database/columns.ts";
import { type Slots, Statement } from "../../database/statement.ts";
import type { Database, Tables } from "../../database/tables.ts";
import { answeredId, decimal } from "../../kit/answer-fields.ts";
import { certifiedNames } from "../../reconcile/certificate/certified-names.ts";
import { signatureSchema } from "../../signing/verify-signed.ts";
import type { BookSource } from "../book-source.ts";
import { readPayments } from "../report/read-payments.ts";
import { collectionSums, type KeptPayment, keptPayment, sums } from "./figures.ts";

/** What a certificate of the month found different, and a person took as it is. */
const acceptedDifference = z.object({
  certificateId: answeredId,
  day: z.string(),
  invoiceId: answeredId.nullable(),
  reason: z.string().describe("As the certificate names it."),
  detail: z.string(),
  atProvider: decimal.nullable().describe("Its amount in the provider's list."),
  inEvent: decimal.nullable().describe("Its amount in the event as it was sent."),
});
export type AcceptedDifference = z.output<typeof acceptedDifference>;

/** A month's closing, as it is issued. Times are ISO 8601, UTC. */
export const closing = z.object({
  id: answeredId,
  source: z.string(),
  /** YYYY-MM. */
  month: z.string(),
  timeZone: z.string(),
  currency: z.string().describe("Of all its amounts, ISO 4217."),
  from: z.string(),
  to: z.string().describe("Payments before this time."),
  closedAt: z.string(),
  /** `cli:<user>` or `admin:<token's name>`. */
  closedBy: z.string(),
  collections: z.array(collectionSums),
  all: sums,
  certificateIds: z.array(answeredId).describe("The newest of its days: equal, but for what was accepted."),
  settings: z
    .object({ collectionIds: z.array(answeredId), paidStatuses: z.array(z.string()) })
    .describe("COLLECTION_IDS and PAID_STATUSES as they were."),
  statement: z.union([
    z.object({ matchIds: z.array(answeredId), waived: z.null() }),
    z.object({ matchIds: z.null(), waived: z.string().describe("Why there is none.") }),
  ]),
  accepted: z
    .object({ reason: z.string(), differences: z.array(acceptedDifference) })
    .nullish()
    .describe("What differed and was taken as it is; null where nothing did."),
  signature: signatureSchema.nullable().describe("null without LEDGER_SIGNING_KEY."),
});
type IssuedClosing = z.output<typeof closing>;
export type Closing = Omit<IssuedClosing, "signature">;

export interface ClosedMonth {
  closing: IssuedClosing;
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

/** By what a payment is one of the source's, and of one month or another: once it is another, months are compared again. */
export async function scopeOf(
  db: Database,
  { name, zone, currency, collectionIds, paidStatuses }: BookSource,
): Promise<string> {
  const names = await certifiedNames(db, name, collectionIds);
  return JSON.stringify({ zone, currency, paid: plainStatuses(paidStatuses).sort(), collections: names });
}

const BATCH = 1_000;

export async function insertMonth(
  trx: Transaction<Tables>,
  closing: IssuedClosing,
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
      scope: await scopeOf(trx, source),
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
    closing: row.document as IssuedClosing,
    reopenedAt: row.reopened_at,
    reopenedBy: row.reopened_by,
    reopenReason: row.reopen_reason,
  }));
}
