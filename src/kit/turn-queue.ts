/**
 * A bounded queue in which keys take turns: one item of each, then another one, however many a key has. Where
 * there is no more room, whoever has the most waiting loses its newest, so that no key can fill it (G8, G11).
 */
export class TurnQueue<Item> {
  readonly #most: number;
  /** Never empty, in the order of their turns: a Map keeps the order of insertion. */
  readonly #byKey = new Map<string, Item[]>();
  #size = 0;

  /** @param most how many items may wait in all. */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /** @returns the item for which there is no room, this one or another; null when there is. */
  add(key: string, item: Item): Item | null {
    const items = this.#byKey.get(key);
    if (items === undefined) this.#byKey.set(key, [item]);
    else items.push(item);
    this.#size += 1;
    return this.#size > this.#most ? this.#dropNewest(key) : null;
  }

  /** Takes the item whose turn it is; undefined when none waits. */
  next(): Item | undefined {
    for (const [key, items] of this.#byKey) {
      const item = items.shift();
      this.#size -= 1;
      if (items.length === 0 || this.#byKey.size > 1) this.#byKey.delete(key);
      if (items.length > 0) this.#byKey.set(key, items);
      return item;
    }
    return undefined;
  }

  /** @param last whose newest goes when no key has more: the one that just came. */
  #dropNewest(last: string): Item | null {
    let [fullest, items] = [last, this.#byKey.get(last) ?? []];
    for (const [key, others] of this.#byKey)
      if (others.length > items.length) [fullest, items] = [key, others];
    const dropped = items.pop() ?? null;
    if (items.length === 0) this.#byKey.delete(fullest);
    this.#size -= 1;
    return dropped;
  }
}
