import { isIPv6 } from "node:net";

/** How many of an IPv6 address's eight groups name the /64 network that one sender usually has to itself. */
const NETWORK_GROUPS = 4;

/**
 * What to count an address as, when strangers are counted or take turns: an IPv4 address as itself, `::ffff:`
 * before it or not; an IPv6 address as its /64, since whoever has one address there has all of them. Pure.
 * @param address as the socket or a trusted proxy says it, which may be anything.
 */
export function networkOf(address: string): string {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
  if (!isIPv6(plain)) return plain.slice(0, 64);
  const [head = "", tail] = plain.replace(/%.*$/, "").split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  return `${[...before, ...zeros, ...after].slice(0, NETWORK_GROUPS).join(":")}::/64`;
}

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

/** How many keys are remembered; beyond that the one that was set longest ago is forgotten. */
const MOST = 10_000;

/** A map that forgets: strangers choose its keys, and must not fill the memory with them (G8). */
export class Remembered<Value> {
  readonly #values = new Map<string, Value>();

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  /** Keeps it as the newest. */
  set(key: string, value: Value): void {
    this.#values.delete(key);
    if (this.#values.size >= MOST) {
      // A Map keeps the order of insertion.
      const [oldest] = this.#values.keys();
      if (oldest !== undefined) this.#values.delete(oldest);
    }
    this.#values.set(key, value);
  }
}

const WINDOW_MS = 60_000;

/**
 * How many wrong tokens an address may try in a minute. Only wrong ones are counted and only they are refused
 * for it: all callbacks come from the provider's few addresses, which must never be blocked.
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
