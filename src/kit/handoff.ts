/**
 * How new work gets from the transaction that makes it to the worker in the same process: it is leased from
 * its first moment on, which saves a claim. If the process dies, nothing is lost: the lease runs out (G7).
 */
export interface Handoff<Item> {
  readonly lease: { readonly ms: number };
  /**
   * Reserves room for new work before it is committed.
   * @param lines for each piece of work, the upstream that it goes to.
   * @returns for each, whether there is room; there is none while other work waits already.
   */
  reserve(lines: readonly string[]): boolean[];
  /**
   * The work is committed, and leased to the worker. The room for `reserved` pieces is free again.
   * @param since `performance.now()` from before the transaction, which the lease is counted from.
   */
  take(items: readonly Item[], reserved: number, since: number): void;
}
