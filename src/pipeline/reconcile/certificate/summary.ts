import { compareMoney, type Money, sumOfMoney } from "../../../provider/index.ts";
import { type Certificate, type Difference, type Tally, type Totals, weight } from "./certificate.ts";
import type { PaymentDecision } from "./decide-payment.ts";

/** The most differences that a certificate names; it counts them all. */
const NAMED_LIMIT = 10_000;

const emptyTally = (): Tally => ({ count: 0, amount: "0.00" });

export const emptyTotals = (): Totals => ({
  paid: emptyTally(),
  stored: emptyTally(),
  published: emptyTally(),
  missing: emptyTally(),
  differences: 0,
});

/** Whether nothing was found that could hide money. */
export const isEqual = ({ paid, stored, published, missing, differences }: Totals): boolean =>
  missing.count + differences === 0 &&
  [stored, published].every(
    ({ count, amount }) => count === paid.count && compareMoney(amount, paid.amount) === 0,
  );

/**
 * The result of a comparison so far. For a period of any size it contains only the days and the named
 * differences.
 */
export class Summary {
  readonly #days = new Map<string, Totals>();
  readonly #total = emptyTotals();
  readonly #test = emptyTally();
  readonly #foreign = emptyTally();
  readonly #named = { gap: [], difference: [], note: [] } as Record<Difference["weight"], Difference[]>;
  #notes = 0;

  add({ day, isLive, isForeign, differences, ...amounts }: PaymentDecision): void {
    for (const difference of differences) this.addDifference(difference);
    if (isForeign || !isLive) {
      add(isForeign ? this.#foreign : this.#test, amounts.paid);
      return;
    }
    // A day without a counted amount gets no totals.
    for (const name of ["paid", "stored", "published"] as const)
      if (amounts[name] !== null) for (const totals of this.#totalsOf(day)) add(totals[name], amounts[name]);
  }

  addDifference(difference: Difference): void {
    const { weight, day, amount } = difference;
    if (weight === "gap") for (const { missing } of this.#totalsOf(day)) add(missing, amount ?? "0");
    else if (weight === "difference") this.addUnnamed(day, 1);
    else this.#notes += 1;
    const named = this.#named[weight];
    if (named.length < NAMED_LIMIT) named.push(difference);
  }

  /** Counts differences that could hide money without naming them. */
  addUnnamed(day: string, differences: number): void {
    if (differences > 0) for (const totals of this.#totalsOf(day)) totals.differences += differences;
  }

  /** The totals of the day and of the whole period. */
  #totalsOf(day: string): Totals[] {
    const totals = this.#days.get(day) ?? emptyTotals();
    this.#days.set(day, totals);
    return [totals, this.#total];
  }

  get isEqual(): boolean {
    return isEqual(this.#total);
  }

  get contents(): Pick<
    Certificate,
    "days" | "total" | "test" | "foreign" | "gaps" | "differencesInAll" | "differences"
  > {
    const days = [...this.#days].map(([day, totals]) => ({ day, ...totals }));
    const differences = weight.options.flatMap((weight) => this.#named[weight].toSorted(byDay));
    return {
      days: days.sort((a, b) => (a.day < b.day ? -1 : 1)),
      total: this.#total,
      test: this.#test,
      foreign: this.#foreign,
      gaps: this.#total.missing.count,
      differencesInAll: this.#total.missing.count + this.#total.differences + this.#notes,
      differences: differences.slice(0, NAMED_LIMIT),
    };
  }
}

function add(tally: Tally, amount: Money | null): void {
  if (amount === null) return;
  tally.count += 1;
  tally.amount = sumOfMoney([tally.amount, amount]);
}

const byDay = (a: Difference, b: Difference): number =>
  `${a.day} ${a.invoiceId}` < `${b.day} ${b.invoiceId}` ? -1 : 1;
