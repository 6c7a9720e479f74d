/** Limits how much work of one kind is under way; the rest waits, first come, first served (G8, G11). */
export class Turns {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @throws whatever the work throws. */
  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#underWay < this.#limit) this.#underWay += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The next one takes over the place of the one that ends.
      if (next !== undefined) next();
      else this.#underWay -= 1;
    }
  }
}
