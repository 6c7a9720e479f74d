import { type AmountName, amountsOf, COLUMNS, decimal, isOurs, type WorldPayment } from "./books-world.ts";

// What the books have to say, reckoned from the provider's own data alone: nothing of the product is used here.

export const ZONES = { a: "Europe/London", b: "Africa/Lagos" } as const;
export const CURRENCIES = { a: "GBP", b: "NGN" } as const;

/** What is chosen of the payments that are ours. */
export interface Part {
  source?: "a" | "b";
  collection?: string;
  /** Days of the books, both included. */
  from: string;
  to: string;
}

export const paymentsOf = (all: readonly WorldPayment[], { source, collection, from, to }: Part) =>
  all.filter(
    (one) =>
      isOurs(one) &&
      (source === undefined || one.source === source) &&
      (collection === undefined || one.collection === collection) &&
      one.day >= from &&
      one.day <= to,
  );

const sum = (all: readonly WorldPayment[], of: (one: WorldPayment) => bigint): string =>
  decimal(all.reduce((total, one) => total + of(one), 0n));

export const tallyOf = (all: readonly WorldPayment[]) => ({
  count: all.length,
  amount: sum(all, ({ amount }) => amount),
});

/** The five amounts, by the names of columns. */
export const amountsSum = (all: readonly WorldPayment[]) =>
  Object.fromEntries(COLUMNS.map((name) => [name, sum(all, (one) => amountsOf(one)[name])])) as Record<
    AmountName,
    string
  >;

/** A line of a certificate. */
export const totalsOf = (all: readonly WorldPayment[]) => ({
  paid: tallyOf(all),
  stored: tallyOf(all),
  published: { count: all.length, amount: sum(all, ({ sent, amount }) => sent ?? amount) },
  missing: { count: 0, amount: "0.00" },
  differences: all.filter(({ sent }) => sent !== undefined).length,
});

/** In the order of the keys. */
export function groupsBy(
  all: readonly WorldPayment[],
  keyOf: (one: WorldPayment) => string,
): [key: string, group: WorldPayment[]][] {
  const groups = Map.groupBy(all, keyOf);
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** What the clocks of the books show. */
export const clockOf = (at: string | null, source: "a" | "b"): string =>
  at === null ? "" : new Date(at).toLocaleString("sv-SE", { timeZone: ZONES[source] });
