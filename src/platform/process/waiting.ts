/** Else `late`: the work goes on, and its result is ignored. @throws what `work` throws in time. */
export async function within<Value, Late>(
  work: Promise<Value>,
  ms: number,
  late: Late,
): Promise<Value | Late> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<Late>((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Limits how much work of one kind is under way; the rest waits, first come, first served (G8, G11). */
export class Turns {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @throws the error of the work. */
  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#underWay < this.#limit) this.#underWay += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The next work takes over the place of the work that ends.
      if (next !== undefined) next();
      else this.#underWay -= 1;
    }
  }
}

/** Does the work once for all callers that request it while it is under way. */
export class OneForAll<Value> {
  #underWay: Promise<Value> | null = null;

  /** Begins `work`, or joins what is under way. */
  run(work: () => Promise<Value>): Promise<Value> {
    this.#underWay ??= work().finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }
}

/**
 * Exponential back-off: doubles from `firstMs` with every fault in a row, up to `capMs`.
 * @param random from 0 to 1; spreads the delay over its upper half, so that many do not come back together.
 */
export function backOffMs(
  faults: number,
  { firstMs, capMs }: { firstMs: number; capMs: number },
  random: number = Math.random(),
): number {
  const full = Math.min(capMs, firstMs * 2 ** Math.min(Math.max(faults - 1, 0), 30));
  return Math.round(full * (0.5 + random / 2));
}
