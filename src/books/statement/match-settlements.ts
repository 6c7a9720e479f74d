import { numberOf } from "../../kit/text.ts";
import { daysBetween } from "../../kit/time.ts";
import { differenceOfMoney, type Money, sumOfMoney } from "../../provider/provider.ts";
import { matchByAmount } from "./match-by-amount.ts";
import { matchByReference } from "./match-by-reference.ts";
import {
  collectionFinder,
  daysOf,
  type Found,
  groupsSharing,
  isSameAmount,
  isWithin,
  type Match,
  type Matching,
  type SettleableSum,
  STATES,
} from "./matching.ts";
import type { StatementLine } from "./read-statement.ts";
import { takenBack } from "./taken-back.ts";

export interface MatchOptions {
  /** How many days after the payment its settlement may be booked; null: as its frequency says. */
  days: number | null;
  /** The first and last day that the statement covers, YYYY-MM-DD. */
  from: string;
  to: string;
  /** Lines that are the same in every cell are different settlements. */
  keepDuplicates?: boolean | undefined;
  /** What was paid before the statement begins is what the one before left in transit: nothing of it is passed over. */
  carriesOver?: boolean | undefined;
}

function rest<Given extends Matching>(matching: Given, found: readonly Found[]): Given {
  const lines = new Set(found.flatMap((one) => one.lines));
  const sums = new Set(found.flatMap((one) => one.sums));
  return {
    ...matching,
    lines: matching.lines.filter((line) => !lines.has(line)),
    sums: matching.sums.filter((sum) => !sums.has(sum)),
  };
}

/**
 * Matches what a bank's statement says came in with what was to be settled. The same input gives the same result,
 * in whatever order it comes. Pure.
 * @param sums also those of as many days before the statement as a settlement may take
 */
export function matchSettlements(
  lines: readonly StatementLine[],
  sums: readonly SettleableSum[],
  { days, from, to, keepDuplicates = false, carriesOver = false }: MatchOptions,
): Match[] {
  const within = lines.filter(({ day }) => day >= from && day <= to);
  const isSingle = ({ duplicateOf }: StatementLine) => keepDuplicates || duplicateOf === null;
  const found = takenBack(within);
  const { single = [], duplicates = [] } = Object.groupBy(
    rest({ days, lines: within, sums: [] }, found).lines,
    (line) => (isSingle(line) ? "single" : "duplicates"),
  );
  for (const line of duplicates)
    found.push({
      state: "duplicate",
      why: `says the same as line ${line.duplicateOf} in every column`,
      lines: [line],
      sums: [],
    });
  // What was paid before the statement begins belongs to the one before.
  const isOpen = ({ day }: SettleableSum) => day >= from || carriesOver;
  const isNothing = ({ amount }: SettleableSum) => isSameAmount(amount, "0.00");
  for (const sum of sums.filter((one) => isNothing(one) && isOpen(one)))
    found.push({ state: "matched", why: "nothing is to be settled", lines: [], sums: [sum] });
  let left: Matching = {
    days,
    lines: inOrder(single, ({ line }) => line),
    sums: inOrder(
      sums.filter((sum) => !isNothing(sum)),
      sumKey,
    ),
  };
  for (const match of [matchByReference, matchByAmount, matchDaysTogether]) {
    const more = match(left);
    found.push(...more);
    left = rest(left, more);
  }
  for (const line of left.lines)
    found.push({ state: "bank_only", why: "no sum of this amount in these days", lines: [line], sums: [] });
  for (const sum of left.sums.filter(isOpen)) {
    const wait = daysOf(sum, days);
    const isDue = daysBetween(sum.day, to) >= wait;
    found.push({
      state: isDue ? "books_only" : "in_transit",
      why: isDue
        ? `no line of this amount within ${numberOf(wait, "day")}`
        : `may be settled up to ${numberOf(wait, "day")} later`,
      lines: [],
      sums: [sum],
    });
  }
  return inOrder(
    found.map((one) => ({ ...one, difference: differenceOf(one) })),
    sortKey,
  );
}

const differenceOf = ({ lines, sums }: Found): Money =>
  differenceOfMoney(
    sumOfMoney(lines.map(({ amount }) => amount)),
    sumOfMoney(sums.map(({ amount }) => amount)),
  );

const sumKey = ({ day, collection, frequency, invoiceId }: SettleableSum) =>
  `${day} ${collection} ${frequency} ${invoiceId ?? ""}`;
const sortKey = ({ state, lines, sums }: Found): string =>
  `${STATES.indexOf(state)} ${lines[0]?.day ?? sums[0]?.day} ${String(lines[0]?.line ?? 0).padStart(8, "0")} ${
    sums[0] === undefined ? "" : sumKey(sums[0])
  }`;

/** Each key is made once. */
const inOrder = <Item>(items: readonly Item[], keyOf: (item: Item) => string | number): Item[] =>
  items
    .map((item) => ({ item, key: keyOf(item) }))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ item }) => item);

/** A long weekend: its days may be settled in one sum. */
const MOST_DAYS = 5;

/** Adjacent days of one collection that are left, and a line that is exactly their total. */
interface Run {
  sums: SettleableSum[];
  line: StatementLine;
}

/** Days that were settled in one sum, as after a weekend: where exactly one line can be it, and nothing else fits. */
function matchDaysTogether({ lines, sums, days }: Matching): Found[] {
  const byCollection = Map.groupBy(
    sums.filter(({ invoiceId }) => invoiceId === null),
    ({ collection }) => collection,
  );
  const collectionsIn = collectionFinder([...byCollection.keys()]);
  const byAmount = Map.groupBy(lines, ({ amount }) => sumOfMoney([amount]));
  const runs = [...byCollection].flatMap(([collection, own]) =>
    runsOf(own).flatMap((sums): Run[] => {
      const total = sumOfMoney(sums.map(({ amount }) => amount));
      const last = sums.at(-1);
      if (last === undefined) return [];
      return (byAmount.get(total) ?? [])
        .filter((line) => isWithin(last, line, days) && (collectionsIn(line)?.includes(collection) ?? true))
        .map((line) => ({ sums, line }));
    }),
  );
  return groupsSharing(runs, ({ line, sums }) => [line, ...sums]).map((group) => ({
    state: group.length === 1 ? "matched" : "ambiguous",
    why: group.length === 1 ? "several days in one sum" : "several days in one sum, in more than one way",
    lines: [...new Set(group.map(({ line }) => line))],
    sums: [...new Set(group.flatMap(({ sums }) => sums))],
  }));
}

/** Every run of two days or more. @param sums of one collection, by day. */
const runsOf = (sums: readonly SettleableSum[]): SettleableSum[][] =>
  sums.flatMap((first, index) =>
    sums
      .slice(index + 1)
      .filter(({ day }) => daysBetween(first.day, day) < MOST_DAYS)
      .map((_, further) => sums.slice(index, index + further + 2)),
  );
