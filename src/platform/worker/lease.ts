/** How long leases last. One is made in the composition, of LEASE_DURATION; whoever claims work is given it. */
export interface Lease {
  /** From the claim and from each extension, in ms. */
  readonly ms: number;
  /** How often a lease is extended while the work goes on, in ms. */
  readonly extendEveryMs: number;
}

export const leaseOf = (durationMs: number): Lease => ({
  ms: durationMs,
  extendEveryMs: durationMs / 3,
});

/**
 * Another process has the lease now, or the work was ended: whoever held it stops. What was done so far
 * stands.
 */
export class LeaseLost extends Error {}

interface HeldLease {
  lease: Lease;
  /**
   * Extends it.
   * @returns false only when it is certain that somebody else has it; a row that was merely locked is no such
   *   case.
   * @throws whatever the database failed with: being away for a moment takes no lease away.
   */
  keep(): Promise<boolean>;
  /** Asks the work to end. */
  stop: AbortSignal;
}

/**
 * Does the work of one lease and extends the lease meanwhile.
 * @param work gets a signal that aborts with `stop`, and, with a LeaseLost as its reason, once the lease is
 *   known to be lost.
 * @returns what the work returns. @throws what the work throws; that LeaseLost, once the lease is lost.
 */
export async function whileHeld<Result>(
  { lease, keep, stop }: HeldLease,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  // One extension at a time, however slow the database is.
  const extendLater = () => {
    timer = setTimeout(async () => {
      const holds = await keep().catch(() => true);
      if (!holds) lost.abort(new LeaseLost("the lease is no longer held"));
      else if (!ended) extendLater();
    }, lease.extendEveryMs);
  };
  extendLater();
  try {
    return await work(AbortSignal.any([stop, lost.signal]));
  } catch (error) {
    // What was cut off by it has errors of its own, which would count as faults.
    throw lost.signal.aborted ? lost.signal.reason : error;
  } finally {
    ended = true;
    clearTimeout(timer);
  }
}
