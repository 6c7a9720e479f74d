import { z } from "zod";
import { decimal, whole } from "../../kit/answer-fields.ts";
import { differenceOfMoney, type Money, moneyOf, sumOfMoney } from "../../provider/provider.ts";
import type { Tally } from "../../reconcile/certificate/certificate.ts";
import type { Payment } from "../report/read-payments.ts";

const amounts = z.object({
  amount: decimal.describe("What the invoices are about, without charges."),
  serviceCharge: decimal,
  vat: decimal,
  total: decimal.describe("What the payers paid."),
  settleable: decimal.describe("What the provider owes you of it."),
});
export const AMOUNTS = amounts.keyof().options;
type AmountName = (typeof AMOUNTS)[number];

const eachAmount = <Value>(read: (name: AmountName) => Value) =>
  Object.fromEntries(AMOUNTS.map((name) => [name, read(name)])) as Record<AmountName, Value>;

export const sums = z.object({ payments: whole, ...amounts.shape });
export type Sums = z.output<typeof sums>;

export const collectionSums = sums.extend({ collection: z.string().nullable() });
type CollectionSums = z.output<typeof collectionSums>;

/** What is kept of a payment of a month that is closed; null where the provider does not say. */
export const kept = z.object({
  collection: z.string().nullable(),
  ...eachAmount(() => decimal.nullable()),
});
export type KeptPayment = z.output<typeof kept>;

export const keptPayment = (payment: Payment | KeptPayment): KeptPayment => ({
  collection: payment.collection,
  ...eachAmount((name) => moneyOf(payment[name]) ?? null),
});

export const NO_SUMS: Sums = { payments: 0, ...eachAmount(() => "0.00") };

/** Adds or, with `-1`, takes away a payment; without one nothing. */
function plus(sums: Sums, payment: KeptPayment | null, sign: 1 | -1): Sums {
  if (payment === null) return sums;
  const add = sign === 1 ? (a: Money, b: Money) => sumOfMoney([a, b]) : differenceOfMoney;
  return {
    payments: sums.payments + sign,
    ...eachAmount((name) => add(sums[name], payment[name] ?? "0.00")),
  };
}

export const tallyWith = (tally: Tally | undefined, { amount }: KeptPayment): Tally => ({
  count: (tally?.count ?? 0) + 1,
  amount: sumOfMoney([tally?.amount ?? "0.00", amount ?? "0.00"]),
});

export interface Change {
  before: KeptPayment | null;
  after: KeptPayment | null;
}

export const differenceOf = ({ before, after }: Change): Sums => plus(plus(NO_SUMS, after, 1), before, -1);

/** The sums of some payments, collection by collection, in the order of their names. */
export class SumsByCollection {
  readonly #sums: Map<string | null, Sums>;

  constructor(sums: readonly CollectionSums[] = []) {
    this.#sums = new Map(sums.map(({ collection, ...sum }) => [collection, sum]));
  }

  add(payment: KeptPayment | null, sign: 1 | -1 = 1): void {
    if (payment === null) return;
    const { collection } = payment;
    this.#sums.set(collection, plus(this.#sums.get(collection) ?? NO_SUMS, payment, sign));
  }

  get collections(): CollectionSums[] {
    return [...this.#sums]
      .map(([collection, sums]) => ({ collection, ...sums }))
      .sort((one, other) => ((one.collection ?? "") < (other.collection ?? "") ? -1 : 1));
  }

  get all(): Sums {
    const sums = [...this.#sums.values()];
    return {
      payments: sums.reduce((count, { payments }) => count + payments, 0),
      ...eachAmount((name) => sumOfMoney(sums.map((one) => one[name]))),
    };
  }
}
