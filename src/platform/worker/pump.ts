import { faultOf, noteWork } from "../errors/index.ts";
import type { Logger } from "../log/index.ts";
import { failpoint } from "../process/index.ts";
import type { Lease } from "./leased-rows.ts";
import { type Leased, LeasedWork } from "./leased-work.ts";
import { Signal, waitForEither } from "./loop.ts";
import {
  type Handoff,
  isDue,
  newQueueState,
  type Policy,
  pollAllQueues,
  type QueueState,
  untilMore,
  untilNextPoll,
} from "./policy.ts";

interface PumpOptions<Item extends Leased> {
  policy: Policy<Item>;
  lease: Lease;
  /** Raised when there may be work to claim. */
  wake: Signal;
  log: Logger;
}

/** The most items leased, those being recorded included, as a multiple of the number that requests can hold. */
const LEASED_LIMIT = 6;

/** How often each queue is polled without a wake-up, in ms: the safety net for a lost one. */
const POLL_MS = 1_000;

/** How long a partial batch waits while another is in flight, in ms. */
const HOLD_MS = 50;

/** How long requests under way may take after the order to stop, in ms. */
const STOP_GRACE_MS = 5_000;

/** The largest share of the capacity for a queue while there are others. */
const QUEUE_SHARE_LIMIT = 0.75;

/** A claim is worth its round trip once this share of what its queue may take is free. */
const WORTH_A_CLAIM = 0.25;

/**
 * The engine under every kind of work. Five facts:
 * 1. Work is claimed under a lease from each queue in turn, or dispatched by the transaction that made it; a queue
 * with a share of its own comes last, and never takes more.
 * 2. Leased work waits, or runs; a queue's items run in batches, side by side, as far as request slots are free.
 * 3. A request slot is free again once the upstream has answered; recording the answer blocks no other work.
 * 4. Leases are extended while there is work, and nothing begins after its lease has ended; a queue whose upstream
 * takes no more releases its waiting work.
 * 5. After a stop, or a write that failed, nothing more is taken, waiting work is released, running work is
 * finished.
 */
export class Pump<Item extends Leased> implements Handoff<Item> {
  readonly lease: Lease;
  readonly #policy: Policy<Item>;
  readonly #wake: Signal;
  readonly #log: Logger;
  readonly #leased: LeasedWork<Item>;
  readonly #states: readonly QueueState<Item>[];
  /** Queues that take turns, and queues that come after all of these. */
  readonly #equals: readonly QueueState<Item>[];
  readonly #last: readonly QueueState<Item>[];
  readonly #progress = new Signal();
  #stop: AbortSignal = new AbortController().signal;
  #giveUp = new AbortController();
  #failure: { error: unknown } | null = null;
  #reserved = 0;
  #turn = 0;
  #startsLater: NodeJS.Timeout | undefined;

  constructor({ policy, lease, wake, log }: PumpOptions<Item>) {
    this.lease = lease;
    this.#policy = policy;
    this.#wake = wake;
    this.#log = log;
    this.#states = policy.queues.map(newQueueState);
    this.#equals = this.#states.filter(({ queue }) => queue.share === undefined);
    this.#last = this.#states.filter(({ queue }) => queue.share !== undefined);
    this.#leased = new LeasedWork({
      queueOf: (item) => policy.queueOf(item),
      lease,
      extend: (items) => this.#orWarn(policy.extend(items), "leases could not be extended"),
    });
  }

  /**
   * Claims and does all that is due, until nothing is, or `stop` aborts.
   * @returns when there may be more, in ms; null when only new work would change it.
   * @throws what a claim or a write failed with, once nothing is leased any more.
   */
  async drain(stop: AbortSignal): Promise<number | null> {
    this.#stop = stop;
    // Renewed only once it is spent: work dispatched before this drain is to hear of its end too.
    if (this.#giveUp.signal.aborted) this.#giveUp = new AbortController();
    let grace: NodeJS.Timeout | undefined;
    const beginGrace = () => {
      grace = setTimeout(() => this.#giveUp.abort(), STOP_GRACE_MS).unref();
    };
    if (stop.aborted) beginGrace();
    else stop.addEventListener("abort", beginGrace);
    try {
      await this.#untilIdle(stop);
      if (this.#failure !== null) throw this.#failure.error;
      return untilMore(this.#states);
    } finally {
      stop.removeEventListener("abort", beginGrace);
      clearTimeout(grace);
      this.#failure = null;
    }
  }

  async #untilIdle(stop: AbortSignal): Promise<void> {
    pollAllQueues(this.#states);
    for (;;) {
      if (!this.#isEnding) await this.#claimInTurn();
      if (this.#isEnding) await this.#release(this.#leased.dropWaiting());
      else this.#start();
      const isIdle = this.#leased.size === 0;
      const due = this.#states.filter(isDue);
      if (isIdle && (this.#isEnding || due.length === 0)) return;
      const claimsAtOnce = isIdle && due.some((state) => this.#vacancyOf(state) > 0);
      const waitMs = claimsAtOnce ? 0 : untilNextPoll(this.#states, POLL_MS);
      const stops = this.#isEnding ? undefined : stop;
      if ((await waitForEither(this.#wake, this.#progress, waitMs, stops)) === "first")
        pollAllQueues(this.#states);
    }
  }

  reserve(name: string): boolean {
    const state = this.#states.find(({ queue }) => queue.name === name);
    const hasPlace = state !== undefined && !this.#isEnding && !state.hasMore && this.#vacancyOf(state) > 0;
    if (hasPlace) this.#reserved += 1;
    return hasPlace;
  }

  take(items: readonly Item[], reserved: number, since: number): void {
    this.#reserved -= reserved;
    failpoint("work dispatched");
    this.#leased.add(items, since);
    this.#start();
    this.#progress.raise();
  }

  get #isEnding(): boolean {
    return this.#stop.aborted || this.#failure !== null;
  }

  /** The most items that requests under way can hold. */
  get #capacity(): number {
    return this.#policy.requests * this.#policy.batchSize;
  }

  /** As many items may wait as requests can hold; work being recorded has a limit of its own (bounded, G8). */
  get #vacancy(): number {
    const waiting = this.#leased.allWaiting + this.#underWay * this.#policy.batchSize;
    return (
      Math.min(2 * this.#capacity - waiting, LEASED_LIMIT * this.#capacity - this.#leased.size) -
      this.#reserved
    );
  }

  /** The part of the capacity that a queue may take. All reserved items may be its own, so they count in full. */
  #vacancyOf(state: QueueState<Item>): number {
    const toBegin = this.#limitOf(state, 2 * this.#capacity) - this.#takenOf(state);
    // Work being recorded counts too: writes after an answer may hang as well.
    const inAll = this.#limitOf(state, LEASED_LIMIT * this.#capacity) - this.#leased.sizeOf(state.queue.name);
    return Math.min(this.#vacancy, Math.min(toBegin, inAll) - this.#reserved);
  }

  #takenOf({ queue, underWay }: QueueState<Item>): number {
    return this.#leased.waitingOf(queue.name).length + underWay * this.#policy.batchSize;
  }

  get #underWay(): number {
    let count = 0;
    for (const { underWay } of this.#states) count += underWay;
    return count;
  }

  #limitOf(
    { queue: { share = this.#equals.length > 1 ? QUEUE_SHARE_LIMIT : 1 } }: QueueState<Item>,
    vacancy: number,
  ) {
    return Math.max(1, Math.floor(vacancy * share));
  }

  get #inTurn(): QueueState<Item>[] {
    this.#turn = (this.#turn + 1) % Math.max(1, this.#equals.length);
    return [...this.#equals.slice(this.#turn), ...this.#equals.slice(0, this.#turn), ...this.#last];
  }

  async #claimInTurn(): Promise<void> {
    try {
      for (const state of this.#inTurn) {
        if (!isDue(state)) continue;
        const vacancy = this.#vacancyOf(state);
        if (vacancy > 0 && vacancy >= WORTH_A_CLAIM * (vacancy + this.#takenOf(state)))
          await this.#claim(state, vacancy);
        // Nothing more is dispatched until a claim had its turn: it would take each place that gets free.
        else state.hasMore = true;
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  async #claim(state: QueueState<Item>, wanted: number): Promise<void> {
    state.hasMore = false;
    const since = performance.now();
    state.pollsAt = since + POLL_MS;
    const { items, more, moreInMs } = await state.queue.claim(wanted);
    const now = performance.now();
    state.hasMore = more;
    state.moreAt = moreInMs === null ? null : now + moreInMs;
    state.pollsAt = Math.min(state.pollsAt, now + (moreInMs ?? POLL_MS));
    this.#leased.add(items, since);
    this.#start();
  }

  // A batch of each queue in turn, so that none waits behind another's many.
  #start(): void {
    if (this.#isEnding) return;
    const { requests } = this.#policy;
    for (let started = true; started; ) {
      started = false;
      for (const state of this.#inTurn) {
        if (this.#underWay >= requests || state.underWay >= this.#limitOf(state, requests)) continue;
        const batch = this.#nextBatch(state);
        if (batch.length === 0) continue;
        void this.#run(state, batch);
        started = true;
      }
    }
  }

  #nextBatch(state: QueueState<Item>): Item[] {
    const { queue, underWay, sentAt } = state;
    const waiting = this.#leased.waitingOf(queue.name);
    if (waiting.length === 0) return [];
    const now = performance.now();
    const waitsMs = sentAt + HOLD_MS - now;
    const count = this.#policy.nextBatch(waiting, underWay, waitsMs > 0);
    if (count === 0) this.#startLater(waitsMs);
    else state.sentAt = now;
    const { running, lapsed } = this.#leased.begin(queue.name, count);
    if (lapsed.length > 0) void this.#release(lapsed).finally(() => this.#progress.raise());
    return running;
  }

  #startLater(waitsMs: number): void {
    this.#startsLater ??= setTimeout(
      () => {
        this.#startsLater = undefined;
        this.#start();
      },
      Math.max(1, waitsMs),
    );
  }

  async #run(state: QueueState<Item>, batch: Item[]): Promise<void> {
    let isUnderWay = true;
    const ended = () => {
      if (!isUnderWay) return;
      isUnderWay = false;
      state.underWay -= 1;
      this.#start();
    };
    state.underWay += 1;
    try {
      const { queue } = state;
      const takesMore = await queue.run(batch, { ended, signal: this.#giveUp.signal });
      if (!takesMore) await this.#release(this.#leased.dropWaiting(queue.name));
    } catch (error) {
      const [{ source } = {} as Item] = batch;
      this.#fail(noteWork(error, { source, invoices: batch.map(({ invoiceId }) => invoiceId) }));
    } finally {
      this.#leased.end(batch);
      ended();
      this.#progress.raise();
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#progress.raise();
  }

  async #release(items: readonly Item[]): Promise<void> {
    if (items.length === 0) return;
    failpoint("work to be released");
    await this.#orWarn(
      this.#policy.release(items),
      "leases could not be released; they run out by themselves",
    );
    failpoint("work released");
  }

  async #orWarn(work: Promise<void>, what: string): Promise<boolean> {
    try {
      await work;
      return true;
    } catch (error) {
      this.#log.warn({ worker: this.#policy.name, ...faultOf(error) }, what);
      return false;
    }
  }
}
