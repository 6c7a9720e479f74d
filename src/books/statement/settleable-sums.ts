import type { Database } from "../../database/tables.ts";
import { bookDayOf } from "../../kit/book-days.ts";
import { moneyOf, sumOfMoney } from "../../provider/provider.ts";
import type { Payment } from "../report/read-payments.ts";
import { isInstant, keyOfSum, type SettleableSum } from "./matching.ts";
import { matchItemPages, type StatementMatch } from "./statement-match-row.ts";

/** Of payments without a collection, and without a frequency. */
const NONE = "(none)";

/**
 * What the provider settles at once: a payment where its answer says `Instant`, otherwise all of one day and
 * collection.
 * @param onUnknown called for a payment whose settleable amount the provider does not say: it is in none.
 */
export async function* settleableSums(
  payments: AsyncIterable<Payment>,
  onUnknown: () => void,
): AsyncGenerator<SettleableSum, void, undefined> {
  const days = new Map<string, SettleableSum>();
  for await (const payment of payments) {
    const amount = moneyOf(payment.settleable);
    if (amount === undefined) {
      onUnknown();
      continue;
    }
    const { invoiceId, reference } = payment;
    const shared = {
      collection: payment.collection ?? NONE,
      frequency: payment.frequency ?? NONE,
      day: bookDayOf(payment.countedAt, payment.source.zone),
    };
    if (isInstant(shared.frequency)) {
      yield { ...shared, amount, payments: 1, invoiceId, reference };
      continue;
    }
    const key = JSON.stringify(shared);
    const sum = days.get(key) ?? { ...shared, amount: "0.00", payments: 0, invoiceId: null, reference: null };
    days.set(key, sum);
    sum.amount = sumOfMoney([sum.amount, amount]);
    sum.payments += 1;
  }
  yield* days.values();
}

/** What is to be settled of some days. */
export interface Settleable {
  /** By `keyOfSum`. */
  sums: ReadonlyMap<string, Pick<SettleableSum, "collection" | "amount">>;
  /** Payments whose settleable amount the provider does not say. */
  unknown: number;
}

export async function readSettleable(payments: AsyncIterable<Payment>): Promise<Settleable> {
  let unknown = 0;
  const count = () => {
    unknown += 1;
  };
  const sums = new Map<string, Pick<SettleableSum, "collection" | "amount">>();
  for await (const sum of settleableSums(payments, count))
    sums.set(keyOfSum(sum), { collection: sum.collection, amount: sum.amount });
  return { sums, unknown };
}

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
  for await (const page of matchItemPages(db, id))
    for (const sum of page.flatMap(({ sums }) => sums)) {
      if (sum.day < from || sum.day > to) continue;
      // Each sum stands in one item of a clean match.
      if (now.sums.get(keyOfSum(sum))?.amount !== sum.amount) return true;
      unseen -= 1;
    }
  return unseen > 0;
}
