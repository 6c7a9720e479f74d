/** Work that is done in small portions; `work` does one, and says whether there is more to do. */
export interface Portioned {
  /** Whether more than one portion waits. */
  readonly isBulk: boolean;
  work(): boolean;
}

/**
 * How long this work may take in a turn of the event loop, in ms: what a common request asks for fits in, so
 * that all that arrived together is recorded together.
 */
const MOST_MS = 20;

/**
 * The part of it that those may take who have more than a portion waiting. A turn accepts one new connection,
 * so that each of many newcomers waits as many turns as there are before it.
 */
const BULK_MS = 2;

/**
 * Shares the event loop: who asks works at once while this turn of the loop has time left, and otherwise in
 * one of the next, a portion each in the order in which they asked. However many ask, the loop goes on.
 */
export class LoopTurns {
  readonly #waiting = new Set<Portioned>();
  /** When this turn's work began (`performance.now()`); null before the first of a turn. */
  #begunAt: number | null = null;

  ask(one: Portioned): void {
    const isBehind = one.isBulk && this.#waiting.size > 0;
    if (this.#hasTime(one) && !isBehind) this.#give(one);
    else this.#waiting.add(one);
  }

  forget(one: Portioned): void {
    this.#waiting.delete(one);
  }

  #hasTime({ isBulk }: Portioned): boolean {
    const now = performance.now();
    if (this.#begunAt === null) {
      this.#begunAt = now;
      setImmediate(() => this.#next());
    }
    return now - this.#begunAt < (isBulk ? BULK_MS : MOST_MS);
  }

  #next(): void {
    this.#begunAt = null;
    for (const one of this.#waiting) {
      if (!this.#hasTime(one)) continue;
      this.#waiting.delete(one);
      this.#give(one);
    }
  }

  #give(one: Portioned): void {
    if (one.work()) this.#waiting.add(one);
  }
}
