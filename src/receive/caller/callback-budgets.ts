import { sql } from "kysely";
import { type Columns, float, text } from "../../database/columns.ts";
import { returned, type Slots, Statement } from "../../database/statement.ts";
import type { Database } from "../../database/tables.ts";
import { networkOf, Remembered } from "../../kit/addresses.ts";

const HOUR_MS = 3_600_000;

/** A token's budget is that of so many addresses: one that floods does not spend the others' share. */
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
  token: string;
  /** Behind trusted proxies; empty when nobody knows it. */
  address: string;
}

/** How much of an hour's budget is spent: 1 is all of it. */
interface BudgetShares extends CallbackCost {
  /** `address <network>` or `token <name>`. */
  key: string;
}

/** Adds what was spent here to what all processes spent. @returns the sum, by now. */
export type ShareBudgets = (spent: readonly BudgetShares[]) => Promise<BudgetShares[]>;

/** What was spent here is shared from this much on: a few thousand times an hour for each key at most. */
const SHARED_FROM = 1 / 1_000;

/** More than the rounding errors of a million small shares add up to. */
const ROUNDING = 1e-9;

interface Spent {
  /** By all processes, as far as it is known here, at `at`. */
  total: CallbackCost;
  /** What the others have not heard of. */
  unshared: CallbackCost;
  at: number;
}

const WHATS = ["bytes", "callbacks", "ids"] as const;
const NOTHING: CallbackCost = { bytes: 0, callbacks: 0, ids: 0 };

/**
 * What one address, and one token, may bring in an hour, all processes together. Each budget empties evenly
 * over the hour, and what was over budget does not count. Nothing is refused for it: being over budget only
 * means that a callback's body is cut and its ids wait their turn. Counted in memory, and shared as it is
 * spent: a process that has not heard of the others exceeds a budget by a thousandth at most, and by what
 * comes in while it shares.
 */
export class CallbackBudgets {
  readonly #address: CallbackCost;
  readonly #token: CallbackCost;
  readonly #byAddress = new Remembered<Spent>();
  /** As many as there are tokens: none of them is ever forgotten. */
  readonly #byToken = new Map<string, Spent>();
  readonly #toShare = new Map<string, Spent>();
  #sharing = false;

  /** @param perHour of one address. */
  constructor(perHour: CallbackCost) {
    this.#address = perHour;
    this.#token = each((what) => perHour[what] * ADDRESSES_A_TOKEN);
  }

  /** From both budgets, or from none. @param now in ms. @returns the spent one; null when the cost fits. */
  take({ token, address }: Caller, cost: CallbackCost, now: number): OverBudget | null {
    const network = networkOf(address);
    const byAddress = spentOf(this.#byAddress, network, now);
    const byToken = spentOf(this.#byToken, token, now);
    const over =
      (address === "" ? null : exceeded("address", byAddress, cost, this.#address)) ??
      exceeded("token", byToken, cost, this.#token);
    if (over !== null) return over;
    if (address !== "" && spend(byAddress, cost, this.#address))
      this.#toShare.set(`address ${network}`, byAddress);
    if (spend(byToken, cost, this.#token)) this.#toShare.set(`token ${token}`, byToken);
    return null;
  }

  /** Where that is worth a round trip. @throws what `share` throws; the next call then shares it again. */
  async share(share: ShareBudgets, now: () => number): Promise<void> {
    if (this.#sharing || this.#toShare.size === 0) return;
    this.#sharing = true;
    const sent = new Map(
      [...this.#toShare].map(([key, spent]) => [key, { spent, shares: { ...spent.unshared } }]),
    );
    try {
      const sums = await share([...sent].map(([key, { shares }]) => ({ key, ...shares })));
      for (const { key, ...total } of sums) {
        const known = sent.get(key);
        if (known === undefined) continue;
        const { spent, shares } = known;
        spent.unshared = each((what) => Math.max(0, spent.unshared[what] - shares[what]));
        spent.total = each((what) => total[what] + spent.unshared[what]);
        spent.at = now();
        if (WHATS.every((what) => spent.unshared[what] < SHARED_FROM)) this.#toShare.delete(key);
      }
    } finally {
      this.#sharing = false;
    }
  }
}

const each = (value: (what: keyof CallbackCost) => number): CallbackCost => ({
  bytes: value("bytes"),
  callbacks: value("callbacks"),
  ids: value("ids"),
});

/** What is still spent by now. It is set anew, so that whoever was seen last is forgotten last. */
function spentOf(
  known: Pick<Map<string, Spent>, "get"> & { set(key: string, spent: Spent): unknown },
  key: string,
  now: number,
): Spent {
  const spent = known.get(key) ?? { total: { ...NOTHING }, unshared: { ...NOTHING }, at: now };
  const passed = Math.max(0, now - spent.at) / HOUR_MS;
  for (const what of WHATS) spent.total[what] = Math.max(0, spent.total[what] - passed);
  spent.at = now;
  known.set(key, spent);
  return spent;
}

function exceeded(
  whose: "address" | "token",
  { total }: Spent,
  cost: CallbackCost,
  perHour: CallbackCost,
): OverBudget | null {
  for (const what of WHATS)
    if (total[what] + cost[what] / perHour[what] > 1 + ROUNDING) return `${whose}_${what}`;
  return null;
}

/** @returns whether so much is spent by now that the other processes are to hear of it. */
function spend({ total, unshared }: Spent, cost: CallbackCost, perHour: CallbackCost): boolean {
  let isWorthSharing = false;
  for (const what of WHATS) {
    const share = cost[what] / perHour[what];
    total[what] += share;
    unshared[what] += share;
    isWorthSharing ||= unshared[what] >= SHARED_FROM;
  }
  return isWorthSharing;
}

const SHARES: Columns<BudgetShares> = {
  key: text(({ key }) => key),
  bytes: float(({ bytes }) => bytes),
  callbacks: float(({ callbacks }) => callbacks),
  ids: float(({ ids }) => ids),
};

/** What still counts of an earlier share, and what is added: a budget empties evenly over an hour. */
const left = (what: keyof CallbackCost) => sql`
  greatest(0, known.${sql.ref(what)} - greatest(0, extract(epoch
  from clock_timestamp() - known.counted_at)::float8) / 3600)
    + excluded.${sql.ref(what)}`;

const addSpent = new Statement(
  { key: returned.text(), bytes: returned.float, callbacks: returned.float, ids: returned.float },
  ({ table }: Slots<readonly BudgetShares[]>) => sql`
    insert into callback_budget as known (key, bytes, callbacks, ids)
    select key, bytes, callbacks, ids from ${table("spent", SHARES, (spent) => spent)} order by key
    on conflict (key) do update set bytes = ${left("bytes")}, callbacks = ${left("callbacks")},
      ids = ${left("ids")}, counted_at = clock_timestamp()
    returning key, bytes, callbacks, ids`,
);

/** Adds what one process spent. @returns what all processes have spent by now, for the same keys. */
export const shareBudgets = (db: Database, spent: readonly BudgetShares[]) => addSpent.execute(db, spent);

/** What was spent more than an hour ago no longer counts. */
export async function forgetBudgets(db: Database): Promise<void> {
  await sql`delete from callback_budget where counted_at < clock_timestamp() - interval '1 hour'`.execute(db);
}
