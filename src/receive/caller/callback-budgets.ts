import { networkOf } from "../../kit/network-of.ts";
import { Remembered } from "../../kit/remembered.ts";

const HOUR_MS = 3_600_000;

/** A token may bring what so many addresses may: one address that floods does not spend the others' share of it. */
const ADDRESSES_A_TOKEN = 4;

/** What callbacks cost: their bytes on the wire beside the URL, their number, the invoice ids they name. */
export interface CallbackCost {
  bytes: number;
  callbacks: number;
  ids: number;
}

/** Whose budget was spent, and of what. */
export type OverBudget = `${"address" | "token"}_${keyof CallbackCost}`;

interface Caller {
  /** Tells the tokens apart. */
  token: string;
  /** Behind trusted proxies; empty when nobody knows it. */
  address: string;
}

/**
 * What one address, and one token, may bring in an hour. Each budget empties evenly over the hour, and what was over
 * budget does not count. Nothing is refused for it: being over only says that a callback is kept short and waits
 * its turn. Kept in this process' memory: each relay has budgets of its own.
 */
export class CallbackBudgets {
  readonly #address: CallbackCost;
  readonly #token: CallbackCost;
  readonly #spent = new Remembered<CallbackCost & { at: number }>();

  /** @param perHour of one address. */
  constructor(perHour: CallbackCost) {
    const { bytes, callbacks, ids } = perHour;
    this.#address = perHour;
    this.#token = {
      bytes: bytes * ADDRESSES_A_TOKEN,
      callbacks: callbacks * ADDRESSES_A_TOKEN,
      ids: ids * ADDRESSES_A_TOKEN,
    };
  }

  /** Takes the cost from both budgets, or from none. @returns which is spent, null when it fits; `now` in ms. */
  take({ token, address }: Caller, cost: CallbackCost, now: number): OverBudget | null {
    const byAddress = this.#spentOf(`address ${networkOf(address)}`, this.#address, now);
    const byToken = this.#spentOf(`token ${token}`, this.#token, now);
    const over =
      (address === "" ? null : exceeded("address", byAddress, cost, this.#address)) ??
      exceeded("token", byToken, cost, this.#token);
    if (over !== null) return over;
    for (const spent of [byAddress, byToken]) {
      spent.bytes += cost.bytes;
      spent.callbacks += cost.callbacks;
      spent.ids += cost.ids;
    }
    return null;
  }

  #spentOf(key: string, perHour: CallbackCost, now: number): CallbackCost {
    const known = this.#spent.get(key);
    if (known === undefined) {
      const fresh = { bytes: 0, callbacks: 0, ids: 0, at: now };
      this.#spent.set(key, fresh);
      return fresh;
    }
    const share = Math.max(0, now - known.at) / HOUR_MS;
    known.bytes = Math.max(0, known.bytes - share * perHour.bytes);
    known.callbacks = Math.max(0, known.callbacks - share * perHour.callbacks);
    known.ids = Math.max(0, known.ids - share * perHour.ids);
    known.at = now;
    return known;
  }
}

function exceeded(
  whose: "address" | "token",
  spent: CallbackCost,
  cost: CallbackCost,
  perHour: CallbackCost,
): OverBudget | null {
  for (const what of ["bytes", "callbacks", "ids"] as const)
    if (spent[what] + cost[what] > perHour[what]) return `${whose}_${what}`;
  return null;
}
