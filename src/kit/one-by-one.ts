/** Does what it is given one after the other, in the order in which it was given. */
export class OneByOne {
  #last: Promise<unknown> = Promise.resolve();

  /** @throws what `work` throws; the next one goes on. */
  run<Value>(work: () => Promise<Value>): Promise<Value> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
