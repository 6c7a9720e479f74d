/** The claimed work of one pass that is not finished, by lease token: one token covers a whole claim. */
export class InHand<Item extends { leaseToken: string }> {
  readonly #items = new Set<Item>();

  get size(): number {
    return this.#items.size;
  }

  add(item: Item): void {
    this.#items.add(item);
  }

  delete(item: Item): void {
    this.#items.delete(item);
  }

  /** The distinct tokens of what is in hand. */
  tokens(): string[] {
    return [...new Set([...this.#items].map((item) => item.leaseToken))];
  }
}
