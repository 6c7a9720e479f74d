import { Agent } from "undici";
import { messageOf } from "../../../kit/errors.ts";
import type { Logger } from "../../../kit/log.ts";
import { within } from "../../../kit/waiting.ts";
import {
  nextDeliveryInMs,
  recordOutcome,
  type TakenDelivery,
  takeDueDeliveries,
} from "../delivery-statements.ts";
import { invoiceOnWire } from "../invoice-statements.ts";
import type { ServiceDatabase } from "../service-tables.ts";
import { callbackRequest } from "./callback-request.ts";
import { sendCallback } from "./send-callback.ts";

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
  /** There may be more than could be started: every attempt that ends makes room for another. */
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
      // Before the look: what becomes due meanwhile is looked for again.
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
