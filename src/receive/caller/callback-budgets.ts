import { networkOf } from "../../kit/network-of.ts";
import { Remembered } from "../../kit/remembered.ts";

const HOUR_MS = 3_600_000;

/**
 * A token may bring what so many addresses may: one address that floods does not spend the others' share of
 * it.
 */
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
 * What one address, and one token, may bring in an hour. Each budget empties evenly over the hour, and what
 * was over budget does not count. Nothing is refused for it: being over only says that a callback is kept
 * short and waits its turn. Kept in this process' memory: each relay has budgets of its own.
 */
export class CallbackBudgets {
  readonly #address: CallbackCost;
  readonly #token: CallbackCost;
  readonly #byAddress = new Remembered<Spent>();
  /** As many as there are tokens: none of them is ever forgotten. */
  readonly #byToken = new Map<string, Spent>();

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

  /**
   * Takes the cost from both budgets, or from none.
   * @returns which is spent, null when it fits; `now` in ms.
   */
  take({ token, address }: Caller, cost: CallbackCost, now: number): OverBudget | null {
    const byAddress = spentOf(this.#byAddress, networkOf(address), this.#address, now);
    const byToken = spentOf(this.#byToken, token, this.#token, now);
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
}

type Spent = CallbackCost & { at: number };

/** What is spent by now; whoever was seen last is forgotten last. */
function spentOf(
  known: Pick<Map<string, Spent>, "get"> & { set(key: string, spent: Spent): unknown },
  key: string,
  perHour: CallbackCost,
  now: number,
): Spent {
  const before = known.get(key) ?? { bytes: 0, callbacks: 0, ids: 0, at: now };
  const share = Math.max(0, now - before.at) / HOUR_MS;
  const left = (what: keyof CallbackCost) => Math.max(0, before[what] - share * perHour[what]);
  const spent = { bytes: left("bytes"), callbacks: left("callbacks"), ids: left("ids"), at: now };
  known.set(key, spent);
  return spent;
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
