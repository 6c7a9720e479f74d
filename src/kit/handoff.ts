/**
 * The way of new work from the transaction that makes it to the worker in the same process: it is leased from
 * its first moment on, which spares a claim. Whoever dies with it loses nothing: its lease runs out (G7).
 */
export interface Handoff<Item> {
  readonly leaseMs: number;
  /**
   * Keeps room for new work, before it is committed.
   * @param lines of each piece of work: the upstream that it goes to.
   * @returns for each, whether there is room; none while other work waits already.
   */
  reserve(lines: readonly string[]): boolean[];
  /**
   * The work is committed, and leased to the worker. Room that was kept for `reserved` pieces is free again.
   */
  take(items: readonly Item[], reserved: number): void;
}
