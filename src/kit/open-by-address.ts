import { networkOf } from "./network-of.ts";

/** How many of something each address has open, connections or requests, and whether it may open one more. */
export class OpenByAddress {
  readonly #most: number;
  readonly #open = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** @returns what to call when it is closed; null when the address has its most open already. */
  open(address: string): (() => void) | null {
    const key = networkOf(address);
    const count = this.#open.get(key) ?? 0;
    if (count >= this.#most) return null;
    this.#open.set(key, count + 1);
    return () => this.#close(key);
  }

  #close(key: string): void {
    const left = (this.#open.get(key) ?? 1) - 1;
    if (left > 0) this.#open.set(key, left);
    else this.#open.delete(key);
  }
}
