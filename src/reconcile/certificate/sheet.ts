import { compareMoney, type Money, sumOfMoney } from "../../provider/answer.ts";
import type { Certificate, Difference, Tally, Totals } from "./certificate.ts";
import type { Judged } from "./judge-payment.ts";

/** The most differences that a certificate names; it counts them all. */
const MOST_NAMED = 10_000;

const WEIGHTS = ["gap", "difference", "note"] as const;

const emptyTally = (): Tally => ({ count: 0, amount: "0.00" });
const emptyTotals = (): Totals => ({ paid: emptyTally(), stored: emptyTally(), published: emptyTally() });

/**
 * The result of a comparison so far. For a period of any size it contains only the days and the named
 * differences.
 */
export class Sheet {
  readonly #days = new Map<string, Totals>();
  readonly #total = emptyTotals();
  readonly #test = emptyTally();
  readonly #named = new Map(WEIGHTS.map((weight) => [weight, [] as Difference[]]));
  readonly #counts = { gap: 0, difference: 0, note: 0 };

  add({ day, isLive, paid, stored, published, differences }: Judged): void {
    for (const difference of differences) this.differs(difference);
    if (!isLive) {
      if (paid !== null) add(this.#test, paid);
      return;
    }
    for (const [column, amount] of Object.entries({ paid, stored, published })) {
      if (amount === null) continue;
      const totals = this.#days.get(day) ?? emptyTotals();
      this.#days.set(day, totals);
      add(totals[column as keyof Totals], amount);
      add(this.#total[column as keyof Totals], amount);
    }
  }

  differs(difference: Difference): void {
    const { weight } = difference;
    this.#counts[weight] += 1;
    const named = this.#named.get(weight);
    if (named !== undefined && named.length < MOST_NAMED) named.push(difference);
  }

  /** Whether nothing was found that could hide money. */
  get isEqual(): boolean {
    const { paid, stored, published } = this.#total;
    const agree = [stored, published].every(
      (tally) => tally.count === paid.count && compareMoney(tally.amount, paid.amount) === 0,
    );
    return agree && this.#counts.gap + this.#counts.difference === 0;
  }

  get contents(): Pick<Certificate, "days" | "total" | "test" | "gaps" | "differencesInAll" | "differences"> {
    const days = [...this.#days].map(([day, totals]) => ({ day, ...totals }));
    const differences = WEIGHTS.flatMap((weight) => [...(this.#named.get(weight) ?? [])].sort(byDay));
    return {
      days: days.sort((a, b) => (a.day < b.day ? -1 : 1)),
      total: this.#total,
      test: this.#test,
      gaps: this.#counts.gap,
      differencesInAll: this.#counts.gap + this.#counts.difference + this.#counts.note,
      differences: differences.slice(0, MOST_NAMED),
    };
  }
}

function add(tally: Tally, amount: Money): void {
  tally.count += 1;
  tally.amount = sumOfMoney([tally.amount, amount]);
}

const byDay = (a: Difference, b: Difference): number =>
  `${a.day} ${a.invoiceId}` < `${b.day} ${b.invoiceId}` ? -1 : 1;
