import { networkOf } from "./network-of.ts";
import { Remembered } from "./remembered.ts";

const WINDOW_MS = 60_000;

/**
 * How many wrong tokens an address may try in a minute. Only wrong ones are counted and only they are refused
 * for it: all callbacks come from the provider's few addresses, which must never be shut out.
 */
export class WrongTokens {
  readonly #perMinute: number;
  readonly #windows = new Remembered<{ since: number; count: number }>();

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
    this.#windows.set(key, { since: now, count: 1 });
    return this.#perMinute < 1;
  }
}
