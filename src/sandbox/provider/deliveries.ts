import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { Agent, request } from "undici";
import { returned, type Slots, Statement } from "../../platform/database/index.ts";
import { messageOf } from "../../platform/errors/index.ts";
import type { Logger } from "../../platform/log/index.ts";
import { within } from "../../platform/process/index.ts";
import { invoiceWritten } from "../../provider/index.ts";
import { invoiceOnWire } from "./invoice-statements.ts";
import type { InvoiceRow, ServiceDatabase } from "./tables.ts";

export interface DeliveryTerms {
  /** How long one attempt may take, in ms (interface, part B: 30 s). */
  readonly timeoutMs: number;
  /** How long after the first, second … failed attempt the next one follows, in ms; then it gives up. */
  readonly retryDelaysMs: readonly number[];
}

export const DEFAULT_DELIVERY_TERMS: DeliveryTerms = {
  timeoutMs: 30_000,
  retryDelaysMs: [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000],
};

const CONCURRENCY = 64;
/** Deliveries of a process that died come due again this much after their time-out. */
const LEASE_MARGIN_MS = 15_000;
const CHECK_EVERY_MS = 200;

interface DeliveryLoopOptions {
  db: ServiceDatabase;
  publicUrl: string;
  terms: DeliveryTerms;
  log: Logger;
}

/** Sends the callbacks that are due, many at once. */
export class DeliveryLoop {
  readonly #options: DeliveryLoopOptions;
  readonly #agent = new Agent({ connections: CONCURRENCY });
  readonly #stop = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  readonly #running: Promise<void>;
  #woken = Promise.withResolvers<void>();

  constructor(options: DeliveryLoopOptions) {
    this.#options = options;
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
    await Promise.all(this.#underWay);
    await this.#agent.destroy();
  }

  async #run(): Promise<void> {
    const { db, terms, log } = this.#options;
    while (!this.#stop.signal.aborted) {
      // Before the query: deliveries that become due meanwhile are queried again.
      this.#woken = Promise.withResolvers<void>();
      const free = { limit: CONCURRENCY - this.#underWay.size, leaseMs: terms.timeoutMs + LEASE_MARGIN_MS };
      const taken = await claimDeliveries.execute(db, free).catch((error: unknown) => {
        log.warn({ err: messageOf(error) }, "due callbacks could not be read; trying again");
        return [];
      });
      for (const delivery of taken) {
        const attempt = this.#attempt(delivery)
          .catch((error: unknown) => log.warn({ err: messageOf(error) }, "callback not recorded"))
          .finally(() => this.#underWay.delete(attempt));
        this.#underWay.add(attempt);
      }
      await within(this.#woken.promise, CHECK_EVERY_MS, undefined);
    }
  }

  async #attempt({ invoiceId, attempt, ...delivery }: TakenDelivery): Promise<void> {
    const { db, publicUrl, terms } = this.#options;
    const invoice = await db
      .selectFrom("current_invoice")
      .selectAll()
      .where("id", "=", invoiceId)
      .executeTakeFirstOrThrow();
    const stop = this.#stop.signal;
    const signal = AbortSignal.any([stop, AbortSignal.timeout(terms.timeoutMs)]);
    const answer = await sendCallback({ ...delivery, invoice, publicUrl }, signal, this.#agent);
    // Only 2xx counts as taken; a redirect is a failure (it would turn the POST into a GET).
    const isTaken = answer.status !== null && answer.status >= 200 && answer.status < 300;
    const retryInMs = stop.aborted ? 0 : terms.retryDelaysMs[attempt - 1];
    await db
      .updateTable("delivery")
      .set({
        state: isTaken ? "delivered" : retryInMs === undefined ? "given_up" : "due",
        due_at: sql`now() + ${retryInMs ?? 0}::float8 * interval '1 ms'`,
        answer_status: answer.status,
        error: answer.error,
      })
      .where("invoice_id", "=", invoiceId)
      .where("copy", "=", delivery.copy)
      .where("attempt", "=", attempt)
      .execute();
  }
}

interface Callback {
  readonly url: string;
  readonly webhookId: string;
  readonly notificationId: string;
  readonly queuedAt: Date;
  readonly invoice: InvoiceRow;
  readonly publicUrl: string;
}

/**
 * Sends the documented callback (interface, part B): `id` is the notification's, `data.id` the invoice's. Waits for the
 * whole answer, follows no redirect, and never rejects.
 */
async function sendCallback(callback: Callback, signal: AbortSignal, dispatcher: Agent) {
  const { url, webhookId, notificationId, queuedAt, invoice, publicUrl } = callback;
  const data = invoiceWritten.parse(invoiceOnWire(invoice, publicUrl));
  try {
    const answer = await request(url, {
      dispatcher,
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "Tranzakt-Payment-Platform/1.0",
        "x-webhook-id": webhookId,
      },
      body: JSON.stringify({
        id: notificationId,
        event: "payment.successful",
        createdAt: queuedAt.toISOString(),
        data: { ...data, collectionId: invoice.collection_id },
      }),
      signal,
    });
    await answer.body.dump();
    return { status: answer.statusCode, error: null };
  } catch (error) {
    return { status: null, error: messageOf(error) };
  }
}

/** Sends a forger's callback once: that of a paid invoice. Nothing is paid or written. */
export async function forgeCallback(invoice: InvoiceRow, publicUrl: string) {
  const now = new Date();
  const agent = new Agent();
  try {
    const forged: Callback = {
      ...{ url: invoice.callback_url ?? "", webhookId: randomUUID(), notificationId: randomUUID() },
      ...{ queuedAt: now, publicUrl },
      invoice: { ...invoice, status: "Paid", paid_at: now, payment_method: "Card" },
    };
    return await sendCallback(forged, AbortSignal.timeout(DEFAULT_DELIVERY_TERMS.timeoutMs), agent);
  } finally {
    await agent.close();
  }
}

const TAKEN = {
  invoiceId: returned.uuid,
  copy: returned.integer,
  /** From 1. */
  attempt: returned.integer,
  webhookId: returned.uuid,
  notificationId: returned.uuid,
  queuedAt: returned.time,
  url: returned.text(),
};

/** The longest due first. They come due again `leaseMs` later unless their outcome is recorded by then. */
const claimDeliveries = new Statement(
  TAKEN,
  ({ value }: Slots<{ limit: number; leaseMs: number }>) => sql`
    update delivery d
    set due_at = now() + ${value(({ leaseMs }) => leaseMs)}::float8 * interval '1 ms', attempt = attempt + 1
    from (
      select invoice_id, copy from delivery where state = 'due' and due_at <= now()
      order by due_at limit ${value(({ limit }) => limit)} for update skip locked
    ) as due
    where d.invoice_id = due.invoice_id and d.copy = due.copy
    returning d.invoice_id as "invoiceId", d.copy, attempt, webhook_id as "webhookId",
      notification_id as "notificationId", queued_at as "queuedAt", url`,
);

type TakenDelivery = Awaited<ReturnType<typeof claimDeliveries.execute>>[number];
