import { Agent } from "undici";
import { GroupCommit } from "../../../database/group-commit.ts";
import { messageOf } from "../../../kit/errors.ts";
import type { Logger } from "../../../kit/log.ts";
import {
  type DeliveryOutcome,
  nextDeliveryInMs,
  recordOutcomes,
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

/** Sends the callbacks that are due, many at once; sleeps until the next one is due or `wake` is called. */
export class DeliveryLoop {
  readonly #options: DeliveryLoopOptions;
  readonly #agent: Agent;
  readonly #outcomes: GroupCommit<DeliveryOutcome>;
  readonly #stop = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  #taking: Promise<void> | null = null;
  #again = false;
  /** There was more than could be started: every attempt that ends makes room for another. */
  #moreDue = false;
  #rest: NodeJS.Timeout | undefined;

  constructor(options: DeliveryLoopOptions) {
    const { db, terms } = options;
    this.#options = options;
    this.#agent = new Agent({ connections: terms.concurrency, pipelining: 1 });
    this.#outcomes = new GroupCommit({
      write: (outcomes) => recordOutcomes(db, outcomes),
      maxBatch: 200,
      maxInFlight: 1,
      maxWaiting: terms.concurrency * 2,
      repeatable: true,
    });
  }

  wake(): void {
    if (this.#stop.signal.aborted) return;
    if (this.#taking !== null) {
      this.#again = true;
      return;
    }
    this.#again = false;
    clearTimeout(this.#rest);
    this.#taking = this.#take()
      .catch((error: unknown) => {
        this.#options.log.warn({ err: messageOf(error) }, "due callbacks could not be read; trying again");
        return LONGEST_REST_MS;
      })
      .then((restMs) => {
        this.#taking = null;
        if (this.#again) this.wake();
        else this.#restFor(restMs);
      });
  }

  /** Starts no more attempts, breaks off those under way; they come due again. */
  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#rest);
    await this.#taking;
    await Promise.allSettled(this.#underWay);
    await this.#agent.destroy();
  }

  #restFor(ms: number): void {
    if (this.#stop.signal.aborted) return;
    this.#rest = setTimeout(() => this.wake(), ms);
    this.#rest.unref();
  }

  /** @returns how long to rest, in ms. */
  async #take(): Promise<number> {
    const { db, terms } = this.#options;
    const free = terms.concurrency - this.#underWay.size;
    this.#moreDue = free <= 0;
    if (free <= 0) return LONGEST_REST_MS;
    const taken = await takeDueDeliveries(db, free, terms.timeoutMs + LEASE_MARGIN_MS);
    for (const delivery of taken) this.#start(delivery);
    if (taken.length === free) {
      this.#moreDue = true;
      return this.#underWay.size < terms.concurrency ? 0 : LONGEST_REST_MS;
    }
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

  async #attempt(delivery: TakenDelivery): Promise<void> {
    const { invoice, copy, attempt } = delivery;
    const startedAt = new Date();
    const subject = {
      ...delivery,
      collectionId: invoice.collection_id,
      invoice: invoiceOnWire(invoice, this.#options.publicUrl),
    };
    const answer = await sendCallback(callbackRequest(subject), {
      dispatcher: this.#agent,
      timeoutMs: this.#options.terms.timeoutMs,
      signal: this.#stop.signal,
    });
    const took = { startedAt, tookMs: Date.now() - startedAt.getTime() };
    const retryInMs = this.#stop.signal.aborted ? 0 : this.#options.terms.retryDelaysMs[attempt - 1];
    await this.#outcomes.add({
      invoiceId: invoice.id,
      copy,
      attempt,
      ...took,
      answerStatus: answer.answered ? answer.status : null,
      answerBody: answer.answered ? answer.body : null,
      error: answer.answered ? null : answer.error,
      state: wasTaken(answer) ? "delivered" : retryInMs === undefined ? "given_up" : "due",
      retryInMs: retryInMs ?? 0,
    });
    if (!wasTaken(answer)) this.wake();
  }
}

/** Only 2xx counts as taken; a redirect is a failure (it would turn the POST into a GET). */
const wasTaken = (answer: { answered: boolean; status?: number }) =>
  answer.status !== undefined && answer.status >= 200 && answer.status < 300;
