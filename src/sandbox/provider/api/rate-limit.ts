/** How many requests of each key there were in the second that runs now. */
export class RateLimit {
  #second = 0;
  readonly #counts = new Map<string, number>();

  /** Counts one. @returns whether it is over the limit; null is no limit. */
  exceeds(key: string, perSecond: number | null, nowMs: number): boolean {
    if (perSecond === null) return false;
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.#second) this.#counts.clear();
    this.#second = second;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count > perSecond;
  }
}
