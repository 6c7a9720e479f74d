import { sumOfMoney } from "../../provider/provider.ts";
import { type Found, wordsOf } from "./matching.ts";
import type { StatementLine } from "./read-statement.ts";

/** What a bank writes where it takes money back; other outgoing money says nothing of settlements. */
const TAKES_BACK = /\b(reversal|reversed?|rvsl|chargeback|returned)\b/i;

export const takesBack = (texts: readonly string[]): boolean => texts.some((text) => TAKES_BACK.test(text));

/**
 * What the bank took back settles nothing: each line that takes back with the one that it means, by its amount and by
 * what both say. Where that may be several lines, none is chosen.
 */
export function takenBack(lines: readonly StatementLine[]): Found[] {
  const byAmount = Map.groupBy(lines, ({ amount }) => sumOfMoney([amount]));
  const gone = new Set<StatementLine>();
  const backs = lines.filter(({ amount }) => amount.startsWith("-"));
  return backs
    .toSorted((one, other) => one.line - other.line)
    .map((back): Found => {
      const words = wordsIn(back);
      const candidates = (byAmount.get(sumOfMoney([back.amount.slice(1)])) ?? [])
        .filter((line) => line.day <= back.day && !gone.has(line))
        .map((line) => ({ line, shared: wordsIn(line).intersection(words).size }));
      const most = Math.max(...candidates.map(({ shared }) => shared));
      const meant = candidates.filter(({ shared }) => shared === most).map(({ line }) => line);
      const [first, ...others] = meant.toSorted((one, other) => one.line - other.line);
      if (first === undefined)
        return { state: "bank_only", why: "it takes back what no line brought", lines: [back], sums: [] };
      const isOne = others.every(({ duplicateOf }) => duplicateOf === (first.duplicateOf ?? first.line));
      const pair = [isOne ? (others.at(-1) ?? first) : first, ...(isOne ? [] : others), back];
      for (const line of pair) gone.add(line);
      return isOne
        ? { state: "matched", why: "the bank took it back", lines: pair, sums: [] }
        : { state: "ambiguous", why: "the bank took one of these back", lines: pair, sums: [] };
    });
}

/** Of six characters or more: days, and what every line says, tell nothing. */
const wordsIn = ({ texts }: StatementLine): Set<string> =>
  new Set(texts.flatMap((text) => wordsOf(text).split(" ")).filter((word) => word.length > 5));
