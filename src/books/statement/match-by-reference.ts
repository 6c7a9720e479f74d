import { sumOfMoney } from "../../provider/provider.ts";
import { type Found, groupsSharing, isSameAmount, type Matching, type SettleableSum } from "./matching.ts";
import type { StatementLine } from "./read-statement.ts";

const UUID = /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/gi;

/** A shorter reference may stand in a text by chance: it counts only together with the amount. */
const TELLING_LENGTH = 6;

/** What more payments than this have in common names none of them. */
const SHARED = 20;

/** A line, and the payments that it names by invoice id or by the merchant's reference. */
interface Naming {
  line: StatementLine;
  named: SettleableSum[];
}

/** Lines that name payments: with their amount they are matched, with another that is the difference. */
export function matchByReference({ lines, sums }: Matching): Found[] {
  const keyed = sums.flatMap((sum) =>
    [sum.invoiceId?.replaceAll("-", ""), sum.reference?.trim().toLowerCase()].flatMap((key) =>
      key === undefined || key === "" ? [] : [{ key, sum }],
    ),
  );
  const known = new Map(
    [...Map.groupBy(keyed, ({ key }) => key)]
      .filter(([, same]) => same.length <= SHARED)
      .map(([key, same]) => [key, same.map(({ sum }) => sum)] as const),
  );
  const namings = lines.flatMap((line) => namingOf(line, known) ?? []);
  return groupsSharing(namings, ({ named }) => named).flatMap(([naming, ...rivals]): Found[] => {
    if (naming === undefined) return [];
    if (rivals.length === 0) return [decide(naming)];
    const all = [naming, ...rivals];
    const lines = all.map(({ line }) => line);
    const sums = [...new Set(all.flatMap(({ named }) => named))];
    const [sum, ...others] = sums;
    const total = sumOfMoney(lines.map(({ amount }) => amount));
    if (sum !== undefined && others.length === 0 && isSameAmount(total, sum.amount))
      return [{ state: "matched", why: "by reference, in several lines", lines, sums }];
    return [{ state: "ambiguous", why: "several lines name the same payment", lines, sums }];
  });
}

function namingOf(line: StatementLine, known: ReadonlyMap<string, SettleableSum[]>): Naming | null {
  const keys = keysIn(line.texts).filter((key) => known.has(key));
  const all = [...new Set(keys.flatMap((key) => known.get(key) ?? []))].filter(({ day }) => day <= line.day);
  const same = all.filter(({ amount }) => isSameAmount(amount, line.amount));
  const telling = keys.some((key) => key.length >= TELLING_LENGTH);
  // Of several payments with one reference the amount may tell which is meant.
  const named = same.length > 0 ? same : telling ? all : [];
  return named.length === 0 ? null : { line, named };
}

/** Whole cells, words, and the parts of words. */
function keysIn(texts: readonly string[]): string[] {
  const keys = texts.flatMap((text) => {
    const lower = text.toLowerCase();
    const ids = [...lower.matchAll(UUID)].map(([id]) => id.replaceAll("-", ""));
    return [...ids, lower, ...lower.split(/\s+/), ...lower.split(/[\s/|,;:()]+/)];
  });
  return [...new Set(keys)].filter((key) => key !== "");
}

function decide({ line, named }: Naming): Found {
  const lines = [line];
  const total = sumOfMoney(named.map(({ amount }) => amount));
  if (isSameAmount(total, line.amount))
    return { state: "matched", why: "by reference and amount", lines, sums: named };
  const same = named.filter(({ amount }) => isSameAmount(amount, line.amount));
  if (same.length > 1) {
    const why = "its reference and amount are those of several payments";
    return { state: "ambiguous", why, lines, sums: same };
  }
  return { state: "amount_differs", why: "it names the payment, with another amount", lines, sums: named };
}
