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
  /** The result of `lineOf` for its items. */
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
  run(batch: readonly Item[], exchange: Exchange): Promise<boolean>;
}

export interface Exchange {
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
   * @param line the upstream that it goes to.
   * @returns whether it fits; it does not while other work waits already.
   */
  reserve(line: string): boolean;
  /**
   * Takes work that is committed, and leased to the worker. The capacity for `reserved` pieces is free again.
   * @param since `performance.now()` from before the transaction, from which the lease counts.
   */
  take(items: readonly Item[], reserved: number, since: number): void;
}

/** The particulars of one kind of work. */
export interface Policy<Item extends Leased> {
  readonly name: string;
  readonly lines: readonly Queue<Item>[];
  lineOf(item: Item): string;
  /** How many requests to upstreams are under way at once. */
  readonly exchanges: number;
  /** The most items of one batch. */
  readonly batchSize: number;
  /**
   * How many waiting items make the next batch; 0 while a fuller one is worth the wait.
   * @param underWay how many requests of the same line are.
   * @param mayWait false once the line has waited long enough.
   */
  nextBatch(waiting: readonly Item[], underWay: number, mayWait: boolean): number;
  release(items: readonly Item[]): Promise<void>;
  extend(items: readonly Item[]): Promise<void>;
}

/** The state of a line, in the pump. Moments are those of `performance.now()`. */
export interface LineState<Item> {
  readonly line: Queue<Item>;
  /** Requests under way. */
  underWay: number;
  /** When its last batch went out. */
  sentAt: number;
  /** Its last claim left something behind, or the next one waits for capacity: no work is dispatched to it. */
  hasMore: boolean;
  /** When it is polled again all the same. */
  looksAt: number;
  /** When there may be more, as its last claim said; null when only new work would change it. */
  moreAt: number | null;
}

const LONG_AGO = Number.NEGATIVE_INFINITY;

export const newLineState = <Item>(line: Queue<Item>): LineState<Item> => ({
  line,
  underWay: 0,
  sentAt: LONG_AGO,
  hasMore: false,
  looksAt: LONG_AGO,
  moreAt: null,
});

/** A claim may find something; that stays so until the next claim, with capacity or without. */
export const isDue = ({ hasMore, looksAt }: LineState<unknown>): boolean =>
  hasMore || looksAt <= performance.now();

export function pollAllQueues(states: readonly LineState<unknown>[]): void {
  for (const state of states) state.looksAt = LONG_AGO;
}

/** How long until the next of those that are not due yet becomes due, in ms; `mostMs` at most. */
export function untilNextPoll(states: readonly LineState<unknown>[], limitMs: number): number {
  const now = performance.now();
  const waits = states.map(({ looksAt }) => looksAt - now).filter((wait) => wait > 0);
  return Math.min(limitMs, ...waits);
}

/** How long until there may be more, in ms; null when only new work would change it. */
export function untilMore(states: readonly LineState<unknown>[]): number | null {
  const moments = states.map(({ moreAt }) => moreAt).filter((moment) => moment !== null);
  return moments.length === 0 ? null : Math.max(0, Math.min(...moments) - performance.now());
}
