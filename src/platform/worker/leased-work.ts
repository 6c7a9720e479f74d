import type { Lease } from "./leased-rows.ts";

/** Work under a lease; one token covers a whole claim. */
export interface Leased {
  leaseToken: string;
  /** Whose it is and what it is about, for the log. */
  source?: string;
  invoiceId?: string;
}

interface LeasedWorkOptions<Item> {
  queueOf(item: Item): string;
  lease: Lease;
  /** Never throws. @returns whether the leases were extended. */
  extend(items: readonly Item[]): Promise<boolean>;
}

/**
 * The leased work of one pump: waiting work, by queue, and running work. Its leases are extended as long as there is
 * any. Others may have taken the work of a process that was stopped for a while, so the process goes by its own
 * monotonic clock. Counted from before the lease was requested, a lease ends earlier here than at Postgres.
 */
export class LeasedWork<Item extends Leased> {
  readonly #options: LeasedWorkOptions<Item>;
  readonly #waiting = new Map<string, Item[]>();
  readonly #all = new Set<Item>();
  /** How many of all are of each queue. */
  readonly #sizes = new Map<string, number>();
  /** When each lease ends, by `performance.now()`. */
  readonly #ends = new Map<string, number>();
  #extending: NodeJS.Timeout | undefined;

  constructor(options: LeasedWorkOptions<Item>) {
    this.#options = options;
  }

  get size(): number {
    return this.#all.size;
  }

  sizeOf(queue: string): number {
    return this.#sizes.get(queue) ?? 0;
  }

  get allWaiting(): number {
    let count = 0;
    for (const items of this.#waiting.values()) count += items.length;
    return count;
  }

  waitingOf(queue: string): readonly Item[] {
    return this.#waiting.get(queue) ?? [];
  }

  /** @param since `performance.now()` from before they were claimed. */
  add(items: readonly Item[], since: number): void {
    const { queueOf, lease } = this.#options;
    for (const item of items) {
      const queue = queueOf(item);
      const waiting = this.#waiting.get(queue);
      if (waiting === undefined) this.#waiting.set(queue, [item]);
      else waiting.push(item);
      this.#all.add(item);
      this.#sizes.set(queue, this.sizeOf(queue) + 1);
      this.#ends.set(item.leaseToken, since + lease.ms);
    }
    if (this.#all.size > 0) this.#extending ??= setInterval(() => void this.#extend(), lease.extendEveryMs);
  }

  /**
   * The first `count` of a queue begin to run, but for those whose lease has ended: they are no longer leased.
   */
  begin(queue: string, count: number): { running: Item[]; lapsed: Item[] } {
    const now = performance.now();
    const [running, lapsed]: [Item[], Item[]] = [[], []];
    for (const item of this.#take(queue, count))
      (this.#holds(item.leaseToken, now) ? running : lapsed).push(item);
    if (lapsed.length > 0) this.end(lapsed);
    return { running, lapsed };
  }

  /** Ends them, successful or not. */
  end(items: readonly Item[]): void {
    for (const item of items) {
      const queue = this.#options.queueOf(item);
      if (this.#all.delete(item)) this.#sizes.set(queue, this.sizeOf(queue) - 1);
    }
    if (this.#all.size > 0) return;
    clearInterval(this.#extending);
    this.#extending = undefined;
    this.#ends.clear();
  }

  /** Lets go of waiting work, of one queue or of all. @returns that work. */
  dropWaiting(queue?: string): Item[] {
    const queues = queue === undefined ? [...this.#waiting.keys()] : [queue];
    const dropped = queues.flatMap((name) => this.#take(name, Number.POSITIVE_INFINITY));
    this.end(dropped);
    return dropped;
  }

  #take(queue: string, count: number): Item[] {
    return this.#waiting.get(queue)?.splice(0, count) ?? [];
  }

  #holds(leaseToken: string, now: number): boolean {
    return now < (this.#ends.get(leaseToken) ?? 0);
  }

  // An answer after the lease's end proves nothing: another worker may have taken the lease before it was extended.
  async #extend(): Promise<void> {
    const items = [...this.#all];
    const tokens = new Set(items.map(({ leaseToken }) => leaseToken));
    for (const token of this.#ends.keys()) if (!tokens.has(token)) this.#ends.delete(token);
    const requestedAt = performance.now();
    if (!(await this.#options.extend(items))) return;
    const now = performance.now();
    for (const token of tokens)
      if (this.#holds(token, now)) this.#ends.set(token, requestedAt + this.#options.lease.ms);
  }
}
