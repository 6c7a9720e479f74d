import { bookDayOf } from "../../kit/book-days.ts";
import { type Money, moneyOf, sumOfMoney } from "../../provider/provider.ts";
import type { Payment } from "../report/read-payments.ts";
import { isInstant, type SettleableSum } from "./matching.ts";

/** Of payments without a collection, and without a frequency. */
const NONE = "(none)";

/**
 * What the provider settles at once: a payment where its answer says `Instant`, otherwise all of one day and
 * collection. Payments whose settleable amount it does not say are in none.
 */
export async function* settleableSums(
  payments: AsyncIterable<Payment>,
): AsyncGenerator<SettleableSum, void, undefined> {
  const days = new Map<string, SettleableSum>();
  for await (const payment of payments) {
    const amount: Money | undefined = moneyOf(payment.settleable);
    if (amount === undefined) continue;
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
