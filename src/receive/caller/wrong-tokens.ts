const WINDOW_MS = 60_000;

/** How many addresses are remembered; beyond that the one seen first is forgotten. */
const MOST_ADDRESSES = 10_000;

/**
 * How many wrong tokens an address may try in a minute. Only wrong ones are counted and only they are refused for
 * it: all callbacks come from the provider's few addresses, which must never be shut out.
 */
export class WrongTokens {
  readonly #perMinute: number;
  readonly #windows = new Map<string, { since: number; count: number }>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** Counts one. @returns whether the address is over its limit; `now` in ms. */
  count(address: string, now: number): boolean {
    const key = networkOf(address);
    const known = this.#windows.get(key);
    if (known !== undefined && now - known.since < WINDOW_MS) {
      known.count += 1;
      return known.count > this.#perMinute;
    }
    this.#windows.delete(key);
    if (this.#windows.size >= MOST_ADDRESSES) this.#forgetOldest();
    this.#windows.set(key, { since: now, count: 1 });
    return this.#perMinute < 1;
  }

  // A Map keeps the order of insertion, and a window is inserted anew when it begins.
  #forgetOldest(): void {
    for (const key of this.#windows.keys()) {
      this.#windows.delete(key);
      return;
    }
  }
}

/** Whoever has one IPv6 address has its /64: the first four of its eight groups. */
function networkOf(address: string): string {
  if (!address.includes(":") || /^::ffff:\d+\./i.test(address)) return address.toLowerCase();
  const [before = "", after] = address.toLowerCase().split("::");
  const [start, end] = [before, after ?? ""].map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = after === undefined ? 0 : Math.max(0, 8 - (start?.length ?? 0) - (end?.length ?? 0));
  return [...(start ?? []), ...Array(zeros).fill("0"), ...(end ?? [])].slice(0, 4).join(":");
}
