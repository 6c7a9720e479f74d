/**
 * Another process has the lease now, or the work was ended: whoever held it stops. What was done so far
 * stands.
 */
export class LeaseLost extends Error {}

export interface HeldLeaseOptions {
  /** How long the lease lasts from each extension, in ms. */
  leaseMs: number;
  /**
   * Extends it.
   * @returns false only when it is certain that somebody else has it; a row that was merely locked is no such
   *   case.
   * @throws whatever the database failed with: being away for a moment takes no lease away.
   */
  extend(): Promise<boolean>;
}

/**
 * Does the work of one lease and keeps the lease alive meanwhile.
 * @param work gets a signal that aborts, with a LeaseLost as its reason, once the lease is known to be lost.
 * @returns what the work returns. @throws what the work throws; that LeaseLost, once the lease is lost.
 */
export async function whileLeaseHolds<Result>(
  { leaseMs, extend }: HeldLeaseOptions,
  work: (lost: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  // One extension at a time, however slow the database is.
  const extendLater = () => {
    timer = setTimeout(async () => {
      const holds = await extend().catch(() => true);
      if (!holds) lost.abort(new LeaseLost("the lease is no longer held"));
      else if (!ended) extendLater();
    }, leaseMs / 3);
  };
  extendLater();
  try {
    return await work(lost.signal);
  } catch (error) {
    // What was cut off by it has errors of its own, which would count as faults.
    throw lost.signal.aborted ? lost.signal.reason : error;
  } finally {
    ended = true;
    clearTimeout(timer);
  }
}
