import type { Database } from "../../database/tables.ts";
import { keyOfSum } from "./matching.ts";
import type { Settleable } from "./settleable-sums.ts";
import { type MatchItem, readMatchItems, type StatementMatch } from "./statement-match-row.ts";

/**
 * Whether what is to be settled of these days is no longer what a clean statement was matched with, or is not known of
 * a payment that came since.
 * @param now of these days, of all collections.
 */
export async function isOutdated(
  db: Database,
  { id, collection }: Pick<StatementMatch, "id" | "collection">,
  now: Settleable,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  if (now.unknown > 0) return true;
  const isOf = (one: { collection: string }) => collection === null || one.collection === collection;
  let unseen = [...now.sums.values()].filter(isOf).length;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: MatchItem[] = await readMatchItems(db, id, { after, limit: 1_000 });
    for (const sum of page.flatMap(({ sums }) => sums)) {
      if (sum.day < from || sum.day > to) continue;
      // Each sum stands in one item of a clean match.
      if (now.sums.get(keyOfSum(sum))?.amount !== sum.amount) return true;
      unseen -= 1;
    }
    after = page.at(-1)?.position;
  }
  return unseen > 0;
}
