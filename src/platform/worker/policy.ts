import type { Lease } from "./leased-rows.ts";
import type { Leased } from "./leased-work.ts";

/** The result of one claim. */
export interface Claim<Item> {
  items: readonly Item[];
  /** There may be more than was wanted. */
  more: boolean;
  /** When there may be more although nothing is due now, in ms; null when only new work would change it. */
  moreInMs: number | null;
}

/** The work of an upstream: the confirmations of a source, or the events of a topic. */
export interface Queue<Item> {
  /** The result of `queueOf` for its items. */
  readonly name: string;
  /** The most of the capacity that it takes, from 0 to 1, where all other work goes first. */
  readonly share?: number | undefined;
  /** Takes up to `wanted` items under a lease. */
  claim(wanted: number): Promise<Claim<Item>>;
  /**
   * Does the work of a batch, and records its outcomes.
   * @returns whether the upstream takes more.
   * @throws only the errors of recording; the upstream's answer is an outcome.
   */
  run(batch: readonly Item[], slot: RequestSlot): Promise<boolean>;
}

export interface RequestSlot {
  /** To be called once the upstream has answered: the next batch may go out while this one is recorded. */
  ended(): void;
  /** Aborts when a process that is stopping has waited long enough for the request. */
  signal: AbortSignal;
}

/**
 * How new work gets from the transaction that makes it to the worker in the same process: it is leased from
 * its first moment on, which saves a claim. If the process dies, nothing is lost: the lease runs out (G7).
 */
export interface Handoff<Item> {
  readonly lease: Lease;
  /**
   * Reserves capacity for a piece of new work before it is committed.
   * @param queue the upstream that it goes to.
   * @returns whether it fits; it does not while other work waits already.
   */
  reserve(queue: string): boolean;
  /**
   * Takes work that is committed, and leased to the worker. The capacity for `reserved` pieces is free again.
   * @param since `performance.now()` from before the transaction, from which the lease counts.
   */
  take(items: readonly Item[], reserved: number, since: number): void;
}

/** The particulars of one kind of work. */
export interface Policy<Item extends Leased> {
  readonly name: string;
  readonly queues: readonly Queue<Item>[];
  queueOf(item: Item): string;
  /** How many requests to upstreams are under way at once. */
  readonly requests: number;
  /** The most items of one batch. */
  readonly batchSize: number;
  /**
   * How many waiting items make the next batch; 0 while a fuller one is worth the wait.
   * @param underWay how many requests of the same queue are.
   * @param mayWait false once the queue has waited long enough.
   */
  nextBatch(waiting: readonly Item[], underWay: number, mayWait: boolean): number;
  release(items: readonly Item[]): Promise<void>;
  extend(items: readonly Item[]): Promise<void>;
}

/** The state of a queue, in the pump. Moments are those of `performance.now()`. */
export interface QueueState<Item> {
  readonly queue: Queue<Item>;
  /** Requests under way. */
  underWay: number;
  /** When its last batch went out. */
  sentAt: number;
  /** Its last claim left something behind, or the next one waits for capacity: no work is dispatched to it. */
  hasMore: boolean;
  /** When it is polled again all the same. */
  pollsAt: number;
  /** When there may be more, as its last claim said; null when only new work would change it. */
  moreAt: number | null;
}

const LONG_AGO = Number.NEGATIVE_INFINITY;

export const newQueueState = <Item>(queue: Queue<Item>): QueueState<Item> => ({
  queue,
  underWay: 0,
  sentAt: LONG_AGO,
  hasMore: false,
  pollsAt: LONG_AGO,
  moreAt: null,
});

/** A claim may find something; that stays so until the next claim, with capacity or without. */
export const isDue = ({ hasMore, pollsAt }: QueueState<unknown>): boolean =>
  hasMore || pollsAt <= performance.now();

export function pollAllQueues(states: readonly QueueState<unknown>[]): void {
  for (const state of states) state.pollsAt = LONG_AGO;
}

/** How long until the next of those that are not due yet becomes due, in ms; `mostMs` at most. */
export function untilNextPoll(states: readonly QueueState<unknown>[], limitMs: number): number {
  const now = performance.now();
  const waits = states.map(({ pollsAt }) => pollsAt - now).filter((wait) => wait > 0);
  return Math.min(limitMs, ...waits);
}

/** How long until there may be more, in ms; null when only new work would change it. */
export function untilMore(states: readonly QueueState<unknown>[]): number | null {
  const moments = states.map(({ moreAt }) => moreAt).filter((moment) => moment !== null);
  return moments.length === 0 ? null : Math.max(0, Math.min(...moments) - performance.now());
}
