import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { Agent, type Dispatcher, getGlobalDispatcher, request } from "undici";
import { nullable, type RowOf, returned, type Slots, Statement } from "../../platform/database/index.ts";
import { messageOf } from "../../platform/errors/index.ts";
import type { Logger } from "../../platform/log/index.ts";
import { within } from "../../platform/process/index.ts";
import { type CallbackRequest, callbackRequest } from "./callback-request.ts";
import { invoiceOnWire } from "./invoice-statements.ts";
import type { DeliveryTable, InvoiceRow, ServiceDatabase } from "./tables.ts";

export interface DeliveryTerms {
  /** How long one attempt may take, in ms (interface, part B: 30 s). */
  readonly timeoutMs: number;
  /** How long after the first, second … failed attempt the next one follows, in ms; then it gives up. */
  readonly retryDelaysMs: readonly number[];
  readonly concurrency: number;
}

export const DEFAULT_DELIVERY_TERMS: DeliveryTerms = {
  timeoutMs: 30_000,
  retryDelaysMs: [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000],
  concurrency: 64,
};

/** Deliveries of a process that died come due again this much after their time-out. */
const LEASE_MARGIN_MS = 15_000;
/** Payments made by another process are found this soon. */
const LONGEST_REST_MS = 1_000;

interface DeliveryLoopOptions {
  db: ServiceDatabase;
  publicUrl: string;
  terms: DeliveryTerms;
  log: Logger;
}

/** Sends the callbacks that are due, many at once; rests until the next one is due or `wake` is called. */
export class DeliveryLoop {
  readonly #options: DeliveryLoopOptions;
  readonly #agent: Agent;
  readonly #stop = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  readonly #running: Promise<void>;
  #woken = Promise.withResolvers<void>();
  /** There may be more than could be started: every attempt that ends frees a place for another. */
  #moreDue = false;

  constructor(options: DeliveryLoopOptions) {
    const { terms } = options;
    this.#options = options;
    this.#agent = new Agent({ connections: terms.concurrency, pipelining: 1 });
    this.#running = this.#run();
  }

  wake(): void {
    this.#woken.resolve();
  }

  /** Starts no more attempts, breaks off those under way; they come due again. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.wake();
    await this.#running;
    await Promise.allSettled(this.#underWay);
    await this.#agent.destroy();
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      // Before the query: deliveries that become due meanwhile are queried again.
      this.#woken = Promise.withResolvers<void>();
      const restMs = await this.#startDue().catch((error: unknown) => {
        this.#options.log.warn({ err: messageOf(error) }, "due callbacks could not be read; trying again");
        return LONGEST_REST_MS;
      });
      await within(this.#woken.promise, restMs, undefined);
    }
  }

  /** @returns how long to rest, in ms. */
  async #startDue(): Promise<number> {
    const { db, terms } = this.#options;
    this.#moreDue = true;
    const free = terms.concurrency - this.#underWay.size;
    if (free <= 0) return LONGEST_REST_MS;
    const taken = await takeDueDeliveries(db, free, terms.timeoutMs + LEASE_MARGIN_MS);
    for (const delivery of taken) this.#start(delivery);
    if (taken.length === free) return LONGEST_REST_MS;
    this.#moreDue = false;
    return Math.min(LONGEST_REST_MS, (await nextDeliveryInMs(db)) ?? LONGEST_REST_MS);
  }

  #start(delivery: TakenDelivery): void {
    const attempt = this.#attempt(delivery)
      .catch((error: unknown) => {
        this.#options.log.warn(
          { err: messageOf(error), invoiceId: delivery.invoice.id },
          "callback not recorded",
        );
      })
      .finally(() => {
        this.#underWay.delete(attempt);
        if (this.#moreDue) this.wake();
      });
    this.#underWay.add(attempt);
  }

  async #attempt({ invoice, ...delivery }: TakenDelivery): Promise<void> {
    const { db, publicUrl, terms } = this.#options;
    const { copy, attempt } = delivery;
    const startedAt = new Date();
    const subject = {
      ...delivery,
      collectionId: invoice.collection_id,
      invoice: invoiceOnWire(invoice, publicUrl),
    };
    const answer = await sendCallback(callbackRequest(subject), {
      dispatcher: this.#agent,
      timeoutMs: terms.timeoutMs,
      signal: this.#stop.signal,
    });
    const tookMs = Date.now() - startedAt.getTime();
    const { status = null, body = null, error = null } = answer;
    // Only 2xx counts as taken; a redirect is a failure (it would turn the POST into a GET).
    const isTaken = status !== null && status >= 200 && status < 300;
    const retryInMs = this.#stop.signal.aborted ? 0 : terms.retryDelaysMs[attempt - 1];
    await recordOutcome(db, {
      invoiceId: invoice.id,
      ...{ copy, attempt, startedAt, tookMs },
      ...{ answerStatus: status, answerBody: body, error },
      state: isTaken ? "delivered" : retryInMs === undefined ? "given_up" : "due",
      retryInMs: retryInMs ?? 0,
    });
    if (!isTaken) this.wake();
  }
}

interface CallbackAnswer {
  answered: boolean;
  status?: number;
  body?: string;
  error?: string;
}

const KEPT_ANSWER_BYTES = 2_048;

interface SendOptions {
  readonly timeoutMs: number;
  readonly dispatcher?: Dispatcher;
  readonly signal?: AbortSignal;
}

/** Waits at most `timeoutMs` for the whole answer, follows no redirect, and never rejects. */
async function sendCallback(callback: CallbackRequest, options: SendOptions): Promise<CallbackAnswer> {
  const { timeoutMs, dispatcher = getGlobalDispatcher(), signal } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await request(callback.url, {
      dispatcher,
      method: callback.method,
      headers: callback.headers,
      body: callback.body,
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return { answered: true, status: answer.statusCode, body: await beginningOf(answer.body) };
  } catch (error) {
    return {
      answered: false,
      error: timeout.aborted ? `No answer within ${timeoutMs} ms` : messageOf(error),
    };
  }
}

/** The first bytes of the answer as text that Postgres takes; the rest is read and dropped. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    if (bytes < KEPT_ANSWER_BYTES) kept.push(chunk);
    bytes += chunk.length;
  }
  return Buffer.concat(kept).subarray(0, KEPT_ANSWER_BYTES).toString("utf8").replaceAll("\0", "\uFFFD");
}

const TIMEOUT_MS = 30_000;

/** Sends a forger's callback once: the documented one of a paid invoice. Nothing is paid or written. */
export function forgeCallback(invoice: InvoiceRow, url: string, publicUrl: string): Promise<CallbackAnswer> {
  const now = new Date();
  const callback = callbackRequest({
    variant: "documented",
    url,
    webhookId: randomUUID(),
    notificationId: randomUUID(),
    collectionId: invoice.collection_id,
    queuedAt: now,
    invoice: {
      ...invoiceOnWire(invoice, publicUrl),
      status: "Paid",
      paymentDate: now.toISOString(),
      paymentMethod: "Card",
    },
  });
  return sendCallback(callback, { timeoutMs: TIMEOUT_MS });
}

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

type TakenDelivery = Omit<RowOf<typeof TAKEN>, "invoiceId"> & { invoice: InvoiceRow };

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
async function takeDueDeliveries(
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
async function nextDeliveryInMs(db: ServiceDatabase): Promise<number | null> {
  const [row] = await countWaiting.execute(db);
  const ms = row?.ms ?? null;
  return ms === null ? null : Math.max(0, Math.ceil(ms));
}

interface DeliveryOutcome {
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
async function recordOutcome(db: ServiceDatabase, outcome: DeliveryOutcome): Promise<void> {
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
