import { sql } from "kysely";
import type { DeliveryTable, InvoiceRow, ServiceDatabase } from "./service-tables.ts";

// All statements on the queue of callbacks and on the log of its attempts; a payment queues in
// invoice-statements.

export interface TakenDelivery {
  readonly invoice: InvoiceRow;
  readonly copy: number;
  /** From 1. */
  readonly attempt: number;
  readonly webhookId: string;
  readonly notificationId: string;
  readonly queuedAt: Date;
  readonly variant: DeliveryTable["variant"];
  readonly url: string;
}

/**
 * Takes at most `limit` deliveries that are due, the longest due first. They come due again by themselves
 * `leaseMs` later unless their outcome is recorded by then.
 */
export async function takeDueDeliveries(
  db: ServiceDatabase,
  limit: number,
  leaseMs: number,
): Promise<TakenDelivery[]> {
  const { rows } = await sql<InvoiceRow & Omit<DeliveryTable, "attempt"> & { attempt: number }>`
    with taken as (
      update delivery d
      set due_at = now() + ${leaseMs}::double precision * interval '1 ms', attempt = attempt + 1
      from (
        select invoice_id, copy, due_at as was_due_at from delivery
        where state = 'due' and due_at <= now()
        order by due_at limit ${limit}
        for update skip locked
      ) as due
      where d.invoice_id = due.invoice_id and d.copy = due.copy
      returning d.invoice_id, d.copy, d.attempt, d.webhook_id, d.notification_id, d.queued_at, d.variant,
      d.url,
        due.was_due_at
    )
    select i.*, t.copy, t.attempt, t.webhook_id, t.notification_id, t.queued_at, t.variant, t.url
    from taken t join current_invoice i on i.id = t.invoice_id
    order by t.was_due_at`.execute(db);
  return rows.map(({ copy, attempt, webhook_id, notification_id, queued_at, variant, url, ...invoice }) => ({
    invoice,
    copy,
    attempt,
    webhookId: webhook_id,
    notificationId: notification_id,
    queuedAt: queued_at,
    variant,
    url,
  }));
}

/** How long until the next delivery is due, in ms; 0 when one is overdue, null when none waits. */
export async function nextDeliveryInMs(db: ServiceDatabase): Promise<number | null> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from min(due_at) - now()) * 1000)::double precision as ms
    from delivery where state = 'due'`.execute(db);
  const ms = rows[0]?.ms ?? null;
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

/** Logs the attempts and moves their deliveries on, in one statement. Repeating it changes nothing. */
export async function recordOutcomes(
  db: ServiceDatabase,
  outcomes: readonly DeliveryOutcome[],
): Promise<void> {
  const column = <T>(of: (outcome: DeliveryOutcome) => T) => outcomes.map(of);
  await sql`
    with given as (
      select * from unnest(
        ${column((o) => o.invoiceId)}::uuid[], ${column((o) => o.copy)}::integer[],
        ${column((o) => o.attempt)}::integer[], ${column((o) => o.startedAt)}::timestamptz[],
        ${column((o) => o.tookMs)}::integer[], ${column((o) => o.answerStatus)}::integer[],
        ${column((o) => o.answerBody)}::text[], ${column((o) => o.error)}::text[],
        ${column((o) => o.state)}::text[], ${column((o) => o.retryInMs)}::double precision[]
      ) as g (invoice_id, copy, attempt, started_at, took_ms, answer_status, answer_body, error, state,
      retry_in_ms)
    ), logged as (
      insert into delivery_attempt
        (invoice_id, copy, attempt, started_at, took_ms, answer_status, answer_body, error)
      select invoice_id, copy, attempt, started_at, took_ms, answer_status, answer_body, error from given
      on conflict do nothing
    )
    update delivery d
    set state = g.state, due_at = now() + g.retry_in_ms * interval '1 ms'
    from given g
    where d.invoice_id = g.invoice_id and d.copy = g.copy and d.attempt = g.attempt
      and d.state = 'due'`.execute(db);
}

export interface LoggedDelivery {
  readonly invoiceId: string;
  readonly copy: number;
  readonly state: DeliveryTable["state"];
  readonly webhookId: string;
  readonly notificationId: string;
  readonly variant: string;
  readonly url: string;
  readonly queuedAt: Date;
  readonly dueAt: Date;
  readonly attempts: readonly {
    attempt: number;
    startedAt: string;
    tookMs: number;
    answerStatus: number | null;
    answerBody: string | null;
    error: string | null;
  }[];
}

/** The newest deliveries with their attempts, of one invoice or of all. */
export async function readDeliveryLog(
  db: ServiceDatabase,
  options: { invoiceId: string | null; limit: number },
): Promise<LoggedDelivery[]> {
  const { rows } = await sql<LoggedDelivery>`
    select d.invoice_id as "invoiceId", d.copy, d.state, d.webhook_id as "webhookId",
      d.notification_id as "notificationId", d.variant, d.url, d.queued_at as "queuedAt", d.due_at as "dueAt",
      coalesce((
        select json_agg(json_build_object(
          'attempt', a.attempt, 'startedAt', a.started_at, 'tookMs', a.took_ms,
          'answerStatus', a.answer_status, 'answerBody', a.answer_body, 'error', a.error) order by a.attempt)
        from delivery_attempt a where a.invoice_id = d.invoice_id and a.copy = d.copy
      ), '[]') as attempts
    from delivery d
    where ${options.invoiceId}::uuid is null or d.invoice_id = ${options.invoiceId}::uuid
    order by d.queued_at desc, d.invoice_id, d.copy
    limit ${options.limit}`.execute(db);
  return rows;
}
