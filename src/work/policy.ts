import type { Leased } from "./held-work.ts";

/** What one claim gave. */
export interface Claim<Item> {
  items: readonly Item[];
  /** There may be more than was wanted. */
  more: boolean;
  /**
   * When there may be more although nothing is to be had now, in ms; null when only new work would change it.
   */
  moreInMs: number | null;
}

/** One upstream's work: the confirmations of a source, or the events of a topic. */
export interface Line<Item> {
  /** What `lineOf` says of its items. */
  readonly name: string;
  /** Takes up to `wanted` items under a lease. */
  claim(wanted: number): Promise<Claim<Item>>;
  /**
   * Does what there is to do for a batch, and writes down what came of it.
   * @returns whether the upstream takes more.
   * @throws only what writing failed with; what the upstream says is an outcome.
   */
  run(batch: readonly Item[], exchange: Exchange): Promise<boolean>;
}

export interface Exchange {
  /**
   * To be called once the upstream has answered: the next batch may go out while this one is written down.
   */
  ended(): void;
  /** Aborts when a process that is stopping has waited long enough for the exchange. */
  signal: AbortSignal;
}

/** What is particular to one kind of work. */
export interface Policy<Item extends Leased> {
  readonly name: string;
  readonly lines: readonly Line<Item>[];
  lineOf(item: Item): string;
  /** How many exchanges with upstreams are under way at once. */
  readonly exchanges: number;
  /** The most items of one batch. */
  readonly batchSize: number;
  /**
   * How many of those that wait make the next batch; 0 while a fuller one is worth the wait.
   * @param underWay how many exchanges of the same line are.
   * @param mayWait false once the line has waited long enough.
   */
  nextBatch(waiting: readonly Item[], underWay: number, mayWait: boolean): number;
  giveBack(items: readonly Item[]): Promise<void>;
  extend(items: readonly Item[]): Promise<void>;
}
