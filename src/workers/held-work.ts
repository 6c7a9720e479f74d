/** Work under a lease; one token covers a whole claim. */
export interface Leased {
  leaseToken: string;
}

export interface HeldWorkOptions<Item> {
  lineOf(item: Item): string;
  /** How often the leases are extended while there is work, in ms. */
  extendEveryMs: number;
  /** Never throws. */
  extend(items: readonly Item[]): Promise<void>;
}

/** The leased work of one pump: what waits, by line, and what runs. Its leases are extended as long as there is any. */
export class HeldWork<Item extends Leased> {
  readonly #options: HeldWorkOptions<Item>;
  readonly #waiting = new Map<string, Item[]>();
  readonly #all = new Set<Item>();
  #extending: NodeJS.Timeout | undefined;

  constructor(options: HeldWorkOptions<Item>) {
    this.#options = options;
  }

  get size(): number {
    return this.#all.size;
  }

  get allWaiting(): number {
    let count = 0;
    for (const items of this.#waiting.values()) count += items.length;
    return count;
  }

  waitingOf(line: string): readonly Item[] {
    return this.#waiting.get(line) ?? [];
  }

  add(items: readonly Item[]): void {
    for (const item of items) {
      const line = this.#options.lineOf(item);
      const waiting = this.#waiting.get(line);
      if (waiting === undefined) this.#waiting.set(line, [item]);
      else waiting.push(item);
      this.#all.add(item);
    }
    if (this.#all.size > 0)
      this.#extending ??= setInterval(() => this.#extend(), this.#options.extendEveryMs);
  }

  /** The first `count` of a line begin to run. */
  begin(line: string, count: number): Item[] {
    return this.#waiting.get(line)?.splice(0, count) ?? [];
  }

  /** They are done, whatever came of them. */
  end(items: readonly Item[]): void {
    for (const item of items) this.#all.delete(item);
    if (this.#all.size > 0) return;
    clearInterval(this.#extending);
    this.#extending = undefined;
  }

  /** What waits, of one line or of all, is held no longer. */
  dropWaiting(line?: string): Item[] {
    const lines = line === undefined ? [...this.#waiting.keys()] : [line];
    const dropped = lines.flatMap((name) => this.begin(name, Number.POSITIVE_INFINITY));
    this.end(dropped);
    return dropped;
  }

  #extend(): void {
    void this.#options.extend([...this.#all]);
  }
}
