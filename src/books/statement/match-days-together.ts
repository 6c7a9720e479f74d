import { daysBetween } from "../../kit/time.ts";
import { sumOfMoney } from "../../provider/provider.ts";
import {
  collectionsIn,
  type Found,
  groupsSharing,
  isWithin,
  type Matching,
  type SettleableSum,
} from "./matching.ts";
import type { StatementLine } from "./read-statement.ts";

/** A long weekend: its days may be settled in one sum. */
const MOST_DAYS = 5;

/** Adjacent days of one collection that are left, and a line that is exactly their total. */
interface Run {
  sums: SettleableSum[];
  line: StatementLine;
}

/** Days that were settled in one sum, as after a weekend: where exactly one line can be it, and nothing else fits. */
export function matchDaysTogether({ lines, sums, days }: Matching): Found[] {
  const byCollection = Map.groupBy(
    sums.filter(({ invoiceId }) => invoiceId === null),
    ({ collection }) => collection,
  );
  const byAmount = Map.groupBy(lines, ({ amount }) => sumOfMoney([amount]));
  const runs = [...byCollection].flatMap(([collection, own]) =>
    runsOf(own).flatMap((sums): Run[] => {
      const total = sumOfMoney(sums.map(({ amount }) => amount));
      const last = sums.at(-1);
      if (last === undefined) return [];
      return (byAmount.get(total) ?? [])
        .filter(
          (line) =>
            isWithin(last, line, days) &&
            (collectionsIn(line, [...byCollection.keys()])?.includes(collection) ?? true),
        )
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
