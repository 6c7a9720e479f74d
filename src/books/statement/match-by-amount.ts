import { numberOf } from "../../kit/text.ts";
import { type Money, sumOfMoney } from "../../provider/provider.ts";
import { collectionFinder, type Found, isWithin, type Matching, type SettleableSum } from "./matching.ts";
import type { StatementLine } from "./read-statement.ts";

/** Lines of one day that may be of the same collections, or sums of one day and collection: they have the same candidates. */
interface Bunch {
  amount: Money;
  day: string;
  /** null: any. */
  collections: string[] | null;
  /** Of sums. */
  frequency: string;
  lines: StatementLine[];
  sums: SettleableSum[];
}

/**
 * Lines and sums of the same amount, in days in which one may be the other's settlement. What has one candidate only
 * is matched; where there are more, none is chosen.
 */
export function matchByAmount({ lines, sums, days }: Matching): Found[] {
  const collectionsIn = collectionFinder([...new Set(sums.map(({ collection }) => collection))]);
  const each: Bunch[] = [
    ...lines.map((line) => ({
      ...{ amount: sumOfMoney([line.amount]), day: line.day, collections: collectionsIn(line) },
      ...{ frequency: "", lines: [line], sums: [] },
    })),
    ...sums.map((sum) => ({
      ...{ amount: sumOfMoney([sum.amount]), day: sum.day, collections: [sum.collection] },
      ...{ frequency: sum.frequency, lines: [], sums: [sum] },
    })),
  ];
  const keyOf = ({ lines, sums: _, ...same }: Bunch) => JSON.stringify([same, lines.length]);
  const bunches = [...Map.groupBy(each, keyOf).values()].flatMap(([first, ...others]) => {
    for (const { lines, sums } of others) {
      first?.lines.push(...lines);
      first?.sums.push(...sums);
    }
    return first ?? [];
  });
  const ofOneAmount = Map.groupBy(bunches, ({ amount }) => amount).values();
  return [...ofOneAmount].flatMap((same) => connected(same, days).flatMap(decide(days)));
}

const mayBe = (paid: Bunch, booked: Bunch, days: number | null) =>
  isWithin(paid, booked, days) &&
  (booked.collections === null || booked.collections.includes(paid.collections?.[0] ?? ""));

function connected(bunches: readonly Bunch[], days: number | null): Bunch[][] {
  const left = new Set(bunches);
  const groups: Bunch[][] = [];
  for (const first of bunches) {
    if (!left.delete(first)) continue;
    const group = [first];
    for (const one of group)
      for (const other of left) {
        const linked = one.sums.length > 0 ? mayBe(one, other, days) : mayBe(other, one, days);
        if (one.sums.length > 0 === other.sums.length > 0 || !linked) continue;
        left.delete(other);
        group.push(other);
      }
    groups.push(group);
  }
  return groups;
}

const decide =
  (days: number | null) =>
  (group: readonly Bunch[]): Found[] => {
    const lines = group.flatMap((one) => one.lines).toSorted((one, other) => (one.day < other.day ? -1 : 1));
    const sums = group.flatMap((one) => one.sums).toSorted((one, other) => (one.day < other.day ? -1 : 1));
    if (lines.length === 0 || sums.length === 0) return [];
    if (lines.length === 1 && sums.length === 1)
      return [{ state: "matched", why: "the only ones of this amount in these days", lines, sums }];
    if (lines.length === sums.length && inOrder(group, days))
      return [
        {
          state: "together",
          why: "as many lines as sums, all of one amount: which is which cannot be told",
          lines,
          sums,
        },
      ];
    const why = `${numberOf(lines.length, "line")} and ${numberOf(sums.length, "sum")} of one amount: none is chosen`;
    return [{ state: "ambiguous", why, lines, sums }];
  };

/** Whether each line can have a sum of its own: the earliest sum for the earliest line, and so on. */
function inOrder(group: readonly Bunch[], days: number | null): boolean {
  const each = (side: "lines" | "sums") =>
    group
      .flatMap((one) => one[side].map(() => one))
      .toSorted((one, other) => (one.day < other.day ? -1 : one.day > other.day ? 1 : 0));
  const sums = each("sums");
  return each("lines").every((line, index) => {
    const sum = sums[index];
    return sum !== undefined && mayBe(sum, line, days);
  });
}
