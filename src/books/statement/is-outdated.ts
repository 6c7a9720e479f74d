import type { Kysely } from "kysely";
import type { Tables } from "../../database/tables.ts";
import { bookPeriod } from "../../kit/book-days.ts";
import type { Money } from "../../provider/provider.ts";
import type { BookSource } from "../book-source.ts";
import { readPayments } from "../report/read-payments.ts";
import { keyOfSum } from "./matching.ts";
import { settleableSums } from "./settleable-sums.ts";
import { type MatchItem, readMatchItems, type StatementMatch } from "./statement-match-row.ts";

/**
 * Whether what was to be settled of these days is no longer what a clean statement was matched with, or is not known of
 * a payment that came since.
 */
export async function isOutdated(
  db: Kysely<Tables>,
  source: BookSource,
  { id, collection }: Pick<StatementMatch, "id" | "collection">,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const period = bookPeriod(from, to, source.zone);
  const asked = { source, forSums: true, ...(collection !== null && { collection }), ...period };
  const now = new Map<string, Money>();
  let isKnown = true;
  const known = async function* () {
    for await (const payment of readPayments(db, asked)) {
      isKnown &&= payment.settleable !== null;
      yield payment;
    }
  };
  for await (const sum of settleableSums(known())) now.set(keyOfSum(sum), sum.amount);
  if (!isKnown) return true;
  const unseen = new Set(now.keys());
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: MatchItem[] = await readMatchItems(db, id, { after, limit: 1_000 });
    for (const sum of page.flatMap(({ sums }) => sums)) {
      if (sum.day < from || sum.day > to) continue;
      if (now.get(keyOfSum(sum)) !== sum.amount) return true;
      unseen.delete(keyOfSum(sum));
    }
    after = page.at(-1)?.position;
  }
  return unseen.size > 0;
}
