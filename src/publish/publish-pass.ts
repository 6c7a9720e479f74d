import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import { messageOf } from "../kit/errors.ts";
import type { Logger } from "../kit/log.ts";
import { InHand } from "../workers/in-hand.ts";
import { extendLeases } from "../workers/leases.ts";
import { Signal, waitForEither } from "../workers/signal.ts";
import { claimEvents } from "./claim-events.ts";
import { batchesOf, type ClaimedEvent, entryOf } from "./entry.ts";
import type { HandedEvents } from "./handed-events.ts";
import { type OpenRoute, type Outgoing, type SendBatchOptions, sendBatch } from "./send-batch.ts";
import type { BatchOutcome } from "./sns-sender.ts";

export interface PublishPassOptions extends SendBatchOptions {
  db: Kysely<Tables>;
  log: Logger;
  routes: readonly OpenRoute[];
  /** The most batches that are on their way or being written down. */
  batchesInHand: number;
  leaseMs: number;
  /** Raised when there may be new events to claim. */
  wake: Signal;
  /** Events that need no claim, where a confirmer works in the same process. */
  handed: HandedEvents | null;
}

const ENTRIES_A_BATCH = 10;

/** How long a batch that is not full waits at most while another is on its way, in ms. */
const COMPANY_MS = 50;

/** The safety net for a wake-up that got lost while SNS is slow, in ms. */
const POLL_MS = 1_000;

/**
 * Drains the outbox to SNS, several batches at a time, until nothing is due. Each entry's outcome is kept by
 * itself, and only what failed or is unknown is sent again, with the same id (G5). When `stop` aborts, nothing
 * more is claimed and what is under way is finished.
 * @returns when there may be more, in ms; null when only new work would change it.
 */
export async function publishPass(options: PublishPassOptions, stop: AbortSignal): Promise<number | null> {
  return await new Pass(options, stop).run();
}

class Pass {
  readonly #options: PublishPassOptions;
  readonly #stop: AbortSignal;
  readonly #inHand = new InHand<ClaimedEvent>();
  readonly #progress = new Signal();
  readonly #sending: SendBatchOptions;
  #batches = 0;
  #onTheirWay = 0;
  #sentAt = Number.NEGATIVE_INFINITY;
  #moreIsDue = false;
  #claimedAt = Number.NEGATIVE_INFINITY;
  #failure: unknown;

  constructor(options: PublishPassOptions, stop: AbortSignal) {
    this.#options = options;
    this.#stop = stop;
    const { sender } = options;
    this.#sending = {
      ...options,
      sender: { ...sender, send: (...given) => this.#watched(sender.send(...given)) },
    };
  }

  // A batch whose outcome is being written down keeps nobody from sending the next.
  async #watched(answer: Promise<BatchOutcome>): Promise<BatchOutcome> {
    this.#onTheirWay += 1;
    this.#sentAt = performance.now();
    try {
      return await answer;
    } finally {
      this.#onTheirWay -= 1;
      this.#progress.raise();
    }
  }

  async run(): Promise<number | null> {
    const { leaseMs, handed } = this.#options;
    const extending = setInterval(() => void this.#extend(), leaseMs / 3);
    handed?.heardBy(this.#progress);
    try {
      return await this.#drain();
    } finally {
      handed?.heardBy(null);
      clearInterval(extending);
    }
  }

  async #drain(): Promise<number | null> {
    const { wake, handed } = this.#options;
    let newWork = true;
    for (;;) {
      if (this.#ending) await this.#giveBackHanded();
      this.#startHanded();
      const polls = performance.now() - this.#claimedAt >= POLL_MS;
      const claims = (newWork || this.#moreIsDue || polls) && this.#mayStart();
      const moreInMs = claims ? await this.#claim() : null;
      if (this.#batches > 0) {
        const waitMs = (handed?.size ?? 0) > 0 ? COMPANY_MS : POLL_MS;
        newWork = (await waitForEither(wake, this.#progress, waitMs)) === "first";
      } else if (this.#failure !== undefined) {
        throw this.#failure;
      } else if (this.#ending || (!this.#moreIsDue && (handed?.size ?? 0) === 0)) {
        return moreInMs;
      }
    }
  }

  get #ending(): boolean {
    return this.#stop.aborted || this.#failure !== undefined;
  }

  #mayStart(): boolean {
    return !this.#ending && this.#batches < this.#options.batchesInHand;
  }

  get #room(): number {
    return (this.#options.batchesInHand - this.#batches) * ENTRIES_A_BATCH;
  }

  // What fills no batch waits for company while another is on its way, since a request costs as much for one as for ten.
  #worthSending(waiting: number): number {
    const waits = this.#onTheirWay > 0 && performance.now() - this.#sentAt < COMPANY_MS;
    return waits ? waiting - (waiting % ENTRIES_A_BATCH) : waiting;
  }

  #startHanded(): void {
    const { routes, handed } = this.#options;
    for (const route of routes) {
      if (handed === null || handed.size === 0 || !this.#mayStart()) return;
      this.#start(route, handed.next(route, Math.min(this.#room, this.#worthSending(handed.size))));
    }
  }

  async #claim(): Promise<number | null> {
    const { db, routes, leaseMs } = this.#options;
    let soonest: number | null = null;
    this.#moreIsDue = false;
    this.#claimedAt = performance.now();
    try {
      for (const route of routes) {
        const wanted = this.#room;
        if (wanted <= 0) {
          this.#moreIsDue = true;
          break;
        }
        const { events, opensInMs, probing } = await claimEvents(db, route, wanted, leaseMs);
        if (probing) route.gate.doubt();
        if (opensInMs !== null) soonest = Math.min(soonest ?? opensInMs, opensInMs);
        if (events.length >= wanted) this.#moreIsDue = true;
        this.#start(route, events);
      }
    } catch (error) {
      this.#failure ??= error;
    }
    return soonest;
  }

  #start(route: OpenRoute, events: readonly ClaimedEvent[]): void {
    for (const event of events) this.#inHand.add(event);
    const outgoing = events.map((event) => ({ event, ...entryOf(event, route.topicArn) }));
    for (const batch of batchesOf(outgoing)) {
      this.#batches += 1;
      void this.#publish(route, batch);
    }
  }

  async #publish(route: OpenRoute, batch: Outgoing[]): Promise<void> {
    try {
      const works = await sendBatch(this.#sending, route, batch);
      if (!works) await this.#options.handed?.giveBack(route);
    } catch (error) {
      this.#failure ??= error;
    } finally {
      for (const { event } of batch) this.#inHand.delete(event);
      this.#batches -= 1;
      this.#progress.raise();
    }
  }

  // What nobody sends belongs to others at once. After a stop, the next publisher may be another process.
  async #giveBackHanded(): Promise<void> {
    const { handed, routes, log } = this.#options;
    try {
      if (this.#stop.aborted) await handed?.close();
      else for (const route of routes) await handed?.giveBack(route);
    } catch (error) {
      log.warn({ error: messageOf(error) }, "leases could not be given back; they run out by themselves");
    }
  }

  async #extend(): Promise<void> {
    const { db, handed, leaseMs, log } = this.#options;
    const waiting = (handed?.waiting ?? []).map(({ leaseToken }) => leaseToken);
    try {
      await extendLeases(db, "event", [...new Set([...this.#inHand.tokens(), ...waiting])], leaseMs);
    } catch (error) {
      log.warn(
        { error: messageOf(error) },
        "leases could not be extended; another worker may take the work up",
      );
    }
  }
}
