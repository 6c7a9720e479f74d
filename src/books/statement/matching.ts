import { daysBetween } from "../../kit/time.ts";
import { compareMoney, type Money } from "../../provider/provider.ts";
import type { StatementLine } from "./read-statement.ts";

// What the ways of matching share.

export interface SettleableSum {
  collection: string;
  frequency: string;
  /** Of payment, in the books' zone; YYYY-MM-DD. */
  day: string;
  amount: Money;
  payments: number;
  /** The one payment; null when the sum is a day's. */
  invoiceId: string | null;
  /** The merchant's own; of one payment. */
  reference: string | null;
}

export const keyOfSum = ({
  collection,
  frequency,
  day,
  invoiceId,
}: Omit<SettleableSum, "reference">): string => JSON.stringify([collection, frequency, day, invoiceId]);

/**
 * What came of some lines and some sums together.
 * - `matched`: the same money, shown by reference, or because nothing else has that amount in these days
 * - `together`: as many lines as sums, all of one amount: all of them were settled, and which is which cannot be told
 * - `ambiguous`: more than one could be meant; nothing is chosen
 * - `amount_differs`: the line names the payment, and has another amount
 * - `duplicate`: a line that says the same as another in every cell
 * - `bank_only`, `books_only`: nothing on the other side
 * - `in_transit`: nothing at the bank yet, and the statement ends before it has to be there
 */
export const STATES = [
  "matched",
  "together",
  "ambiguous",
  "amount_differs",
  "duplicate",
  "bank_only",
  "books_only",
  "in_transit",
] as const;
export type MatchState = (typeof STATES)[number];

const EXPLAINED: readonly MatchState[] = ["matched", "together", "in_transit"];

/** Whether a person has to look at it. */
export const isLeftOver = (state: MatchState): boolean => !EXPLAINED.includes(state);

export interface Match {
  state: MatchState;
  /** In a few words; the same for the same case. */
  why: string;
  lines: StatementLine[];
  sums: SettleableSum[];
  /** What came in, less what was to be settled. */
  difference: Money;
}

/** In how many at once matches are kept. */
export const ITEMS_AT_ONCE = 500;

/** Some lines and sums, before the difference is reckoned. */
export type Found = Pick<Match, "state" | "why" | "lines" | "sums">;

/** What is still to be matched, and what has been. */
export interface Matching {
  lines: readonly StatementLine[];
  sums: readonly SettleableSum[];
  /** How many days after the payment its settlement may be booked; null: as its frequency says. */
  days: number | null;
}

/** Over midnight; and over a weekend with holidays. */
const INSTANT_DAYS = 1;
const OTHER_DAYS = 5;

/** How many days after a payment its settlement may be booked. */
export const daysOf = ({ frequency }: Pick<SettleableSum, "frequency">, days: number | null): number =>
  days ?? (isInstant(frequency) ? INSTANT_DAYS : OTHER_DAYS);

export const isInstant = (frequency: string): boolean => frequency.toLowerCase() === "instant";

/** The furthest back that what a statement's first line settles may have been paid, in days. */
export const furthestBack = (days: number | null): number => days ?? OTHER_DAYS;

/** Whether a line of that day may be the settlement of what was paid then. */
export const isWithin = (
  paid: Pick<SettleableSum, "day" | "frequency">,
  booked: Pick<StatementLine, "day">,
  days: number | null,
): boolean => {
  const after = daysBetween(paid.day, booked.day);
  return after >= 0 && after <= daysOf(paid, days);
};

export const isSameAmount = (one: Money, other: Money): boolean => compareMoney(one, other) === 0;

export const wordsOf = (text: string): string =>
  ` ${(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(" ")} `;

/** Finds the collections that a line names, by their words; null when it names none, and may be any's. */
export function collectionFinder(names: readonly string[]): (line: StatementLine) => string[] | null {
  const worded = names
    .map((name) => ({ name, words: wordsOf(name) }))
    .filter(({ words }) => words.trim() !== "");
  return ({ texts }) => {
    const text = wordsOf(texts.join(" "));
    const named = worded.filter(({ words }) => text.includes(words)).map(({ name }) => name);
    return named.length === 0 ? null : named;
  };
}

/** Items that share a key, directly or by way of others. Takes time linear in their keys. */
export function groupsSharing<Item>(
  items: readonly Item[],
  keysOf: (item: Item) => readonly object[],
): Item[][] {
  const holders = new Map<object, Item[]>();
  for (const item of items)
    for (const key of keysOf(item)) {
      const same = holders.get(key);
      if (same === undefined) holders.set(key, [item]);
      else same.push(item);
    }
  const left = new Set(items);
  return items.flatMap((first) => {
    if (!left.delete(first)) return [];
    const group = [first];
    for (const one of group)
      for (const key of keysOf(one)) {
        for (const other of holders.get(key) ?? []) if (left.delete(other)) group.push(other);
        holders.delete(key);
      }
    return [group];
  });
}
