import { sql } from "kysely";
import { nullable, type RowOf, returned, type Slots, Statement } from "../../database/statement.ts";
import type { DeliveryTable, InvoiceRow, ServiceDatabase } from "./service-tables.ts";

// All statements on the queue of callbacks and on the log of its attempts; a payment queues in
// invoice-statements.

const TAKEN = {
  invoiceId: returned.uuid,
  copy: returned.integer,
  /** From 1. */
  attempt: returned.integer,
  webhookId: returned.uuid,
  notificationId: returned.uuid,
  queuedAt: returned.time,
  variant: returned.text<DeliveryTable["variant"]>(),
  url: returned.text(),
};

export type TakenDelivery = Omit<RowOf<typeof TAKEN>, "invoiceId"> & { invoice: InvoiceRow };

const claimDeliveries = new Statement(
  TAKEN,
  ({ value }: Slots<{ limit: number; leaseMs: number }>) => sql`
    with taken as (
      update delivery d
      set due_at = now() + ${value(({ leaseMs }) => leaseMs)}::float8 * interval '1 ms', attempt = attempt + 1
      from (
        select invoice_id, copy, due_at as was_due_at from delivery
        where state = 'due' and due_at <= now()
        order by due_at limit ${value(({ limit }) => limit)}
        for update skip locked
      ) as due
      where d.invoice_id = due.invoice_id and d.copy = due.copy
      returning d.*, due.was_due_at
    )
    select invoice_id as "invoiceId", copy, attempt, webhook_id as "webhookId",
      notification_id as "notificationId", queued_at as "queuedAt", variant, url
    from taken order by was_due_at`,
);

/** The longest due first. They come due again `leaseMs` later unless their outcome is recorded by then. */
export async function takeDueDeliveries(
  db: ServiceDatabase,
  limit: number,
  leaseMs: number,
): Promise<TakenDelivery[]> {
  const taken = await claimDeliveries.execute(db, { limit, leaseMs });
  if (taken.length === 0) return [];
  const ids = taken.map(({ invoiceId }) => invoiceId);
  const invoices = await db.selectFrom("current_invoice").selectAll().where("id", "in", ids).execute();
  const byId = new Map(invoices.map((invoice) => [invoice.id, invoice]));
  return taken.flatMap(({ invoiceId, ...delivery }) => {
    const invoice = byId.get(invoiceId);
    return invoice === undefined ? [] : [{ ...delivery, invoice }];
  });
}

const countWaiting = new Statement(
  { ms: nullable(returned.float) },
  () => sql`
    select (extract(epoch from min(due_at) - now()) * 1000)::float8 as ms from delivery where state = 'due'`,
);

/** How long until the next delivery is due, in ms; 0 when one is overdue, null when none waits. */
export async function nextDeliveryInMs(db: ServiceDatabase): Promise<number | null> {
  const [row] = await countWaiting.execute(db);
  const ms = row?.ms ?? null;
  return ms === null ? null : Math.max(0, Math.ceil(ms));
}

export interface DeliveryOutcome {
  readonly invoiceId: string;
  readonly copy: number;
  readonly attempt: number;
  readonly startedAt: Date;
  readonly tookMs: number;
  /** null when there was no answer. */
  readonly answerStatus: number | null;
  readonly answerBody: string | null;
  readonly error: string | null;
  readonly state: "delivered" | "due" | "given_up";
  /** When it stays due: how long until the next attempt, in ms. */
  readonly retryInMs: number;
}

/** Logs the attempt and moves its delivery on, in one statement. Repeating it changes nothing. */
export async function recordOutcome(db: ServiceDatabase, outcome: DeliveryOutcome): Promise<void> {
  const { invoiceId, copy, attempt, startedAt, tookMs, answerStatus, answerBody, error } = outcome;
  await db
    .with("logged", (logged) =>
      logged
        .insertInto("delivery_attempt")
        .values({
          ...{ invoice_id: invoiceId, copy, attempt, started_at: startedAt, took_ms: tookMs },
          ...{ answer_status: answerStatus, answer_body: answerBody, error },
        })
        .onConflict((conflict) => conflict.doNothing()),
    )
    .updateTable("delivery")
    .set({
      state: outcome.state,
      due_at: sql`now() + ${outcome.retryInMs}::float8 * interval '1 ms'`,
    })
    .where("invoice_id", "=", invoiceId)
    .where("copy", "=", copy)
    .where("attempt", "=", attempt)
    .where("state", "=", "due")
    .execute();
}

interface LoggedAttempt {
  attempt: number;
  startedAt: string;
  tookMs: number;
  answerStatus: number | null;
  answerBody: string | null;
  error: string | null;
}

interface LogOptions {
  invoiceId: string | null;
  limit: number;
}

const selectLog = new Statement(
  {
    invoiceId: returned.uuid,
    copy: returned.integer,
    state: returned.text<DeliveryTable["state"]>(),
    webhookId: returned.uuid,
    notificationId: returned.uuid,
    variant: returned.text(),
    url: returned.text(),
    queuedAt: returned.time,
    dueAt: returned.time,
    attempts: returned.json<LoggedAttempt[]>(),
  },
  ({ value }: Slots<LogOptions>) => sql`
    select d.invoice_id as "invoiceId", d.copy, d.state, d.webhook_id as "webhookId",
      d.notification_id as "notificationId", d.variant, d.url, d.queued_at as "queuedAt", d.due_at as "dueAt",
      coalesce((
        select json_agg(json_build_object(
          'attempt', a.attempt, 'startedAt', a.started_at, 'tookMs', a.took_ms,
          'answerStatus', a.answer_status, 'answerBody', a.answer_body, 'error', a.error) order by a.attempt)
        from delivery_attempt a where a.invoice_id = d.invoice_id and a.copy = d.copy
      ), '[]') as attempts
    from delivery d
    where ${value(({ invoiceId }) => invoiceId)}::uuid is null
      or d.invoice_id = ${value(({ invoiceId }) => invoiceId)}::uuid
    order by d.queued_at desc, d.invoice_id, d.copy
    limit ${value(({ limit }) => limit)}`,
);

/** The newest deliveries with their attempts, of one invoice or of all. */
export const readDeliveryLog = (db: ServiceDatabase, options: LogOptions) => selectLog.execute(db, options);
