import { compareMoney, type Money, sumOfMoney } from "../collection-api/index.ts";
import type { Certificate, Difference, Reason, Tally, Totals } from "./certificate.ts";
import type { LedgerEntry } from "./ledger.ts";
import { dayOf, type PaidWindow } from "./list-period.ts";
import type { AskedType, ListedPayment } from "./paid-list.ts";
import { detailOf, reasonOf } from "./reason-of.ts";

/** A payment of the list, and which questions found it. */
export interface FoundPayment extends ListedPayment {
  asked: ReadonlySet<AskedType>;
}

export interface Comparison {
  window: PaidWindow;
  /** What the list shows, of any date. */
  found: readonly FoundPayment[];
  /** Ids that are stored as paid in the window, listed or not. */
  stored: readonly string[];
  ledger: ReadonlyMap<string, LedgerEntry>;
  firstServedAt: Date | null;
  now: Date;
}

/** A payment younger than this may still be on its way, in ms. */
const RECENT_MS = 600_000;

const NOTHING = { question: null, stored: null, type: null, event: null };

/**
 * Holds the provider's list against the relay's books. Pure. Days and totals count Live payments only; each one
 * that is not the same in all three places is named with its reason, and so is every Test one of the list.
 * A payment counts on the day that the list says, else the confirmed answer; where neither says one, on the day
 * of its creation, and without a publication in every period that it may belong to.
 */
export function compare(
  comparison: Comparison,
): Pick<Certificate, "days" | "total" | "gaps" | "differences"> {
  const { found, stored, ledger, window } = comparison;
  const sheet = new Sheet();
  const listed = new Set(found.map((payment) => payment.invoiceId));
  for (const payment of found) {
    const entry = ledger.get(payment.invoiceId) ?? { invoiceId: payment.invoiceId, ...NOTHING };
    const day = dayIn(payment, entry, window);
    if (day === null) continue;
    if (isTest(payment, entry)) sheet.differs(payment, "test", entry, day);
    else addLive(sheet, comparison, payment, entry, day);
  }
  for (const invoiceId of stored) {
    const entry = ledger.get(invoiceId);
    if (listed.has(invoiceId) || entry?.stored?.paidAt == null || isOtherThanLive(entry.type)) continue;
    const { amount, paidAt } = entry.stored;
    const day = dayOf(paidAt);
    sheet.count(day, "stored", amount);
    if (entry.event?.accepted) sheet.count(day, "published", entry.event.amount);
    sheet.differs({ invoiceId, amount }, "not_at_provider", entry, day);
  }
  return sheet.result();
}

function addLive(
  sheet: Sheet,
  { firstServedAt, now }: Comparison,
  payment: FoundPayment,
  entry: LedgerEntry,
  day: string,
): void {
  sheet.count(day, "paid", payment.amount);
  if (entry.stored !== null) sheet.count(day, "stored", entry.stored.amount);
  if (entry.event?.accepted) {
    sheet.count(day, "published", entry.event.amount);
    const amounts = [payment.amount, entry.stored?.amount ?? entry.event.amount, entry.event.amount];
    if (!allEqual(amounts)) sheet.differs(payment, "amount_differs", entry, day);
    else if (entry.stored === null) sheet.differs(payment, "not_paid", entry, day);
    return;
  }
  const paidAt = payment.paidAt ?? entry.stored?.paidAt ?? null;
  if (paidAt !== null && (firstServedAt === null || paidAt < firstServedAt))
    sheet.differs(payment, "before_start", entry, day);
  else if (paidAt !== null && now.getTime() - paidAt.getTime() < RECENT_MS)
    sheet.differs(payment, "recent", entry, day);
  else sheet.differs(payment, reasonOf(entry), entry, day, true);
}

/** The day that a payment counts on; null when it belongs to another period. */
function dayIn(payment: FoundPayment, entry: LedgerEntry, { from, to }: PaidWindow): string | null {
  const paidAt = payment.paidAt ?? entry.stored?.paidAt ?? null;
  if (paidAt !== null) return paidAt >= from && paidAt < to ? dayOf(paidAt) : null;
  const createdAt = payment.createdAt ?? from;
  if (createdAt >= to) return null;
  if (createdAt >= from) return dayOf(createdAt);
  return entry.event?.accepted ? null : dayOf(from);
}

/** The confirmed answer says it. Else only what a list of Test invoices shows and one of Live ones does not. */
const isTest = ({ asked }: FoundPayment, { type }: LedgerEntry): boolean =>
  type === null ? asked.has("Test") && !asked.has("Live") : isOtherThanLive(type);

const isOtherThanLive = (type: string | null): boolean => type?.trim().toLowerCase() !== "live";

const allEqual = ([first, ...others]: readonly (Money | null)[]): boolean =>
  first != null && others.every((amount) => amount != null && compareMoney(amount, first) === 0);

const emptyTally = (): Tally => ({ count: 0, amount: "0.00" });
const emptyTotals = (): Totals => ({ paid: emptyTally(), stored: emptyTally(), published: emptyTally() });

/** What a comparison has written down so far. */
class Sheet {
  readonly #days = new Map<string, Totals>();
  readonly #total = emptyTotals();
  readonly #differences: Difference[] = [];

  count(day: string, column: keyof Totals, amount: Money | null): void {
    const totals = this.#days.get(day) ?? emptyTotals();
    this.#days.set(day, totals);
    for (const tally of [totals[column], this.#total[column]]) {
      tally.count += 1;
      tally.amount = sumOfMoney([tally.amount, amount ?? "0.00"]);
    }
  }

  differs(
    { invoiceId, amount }: { invoiceId: string; amount: Money | null },
    reason: Reason,
    entry: LedgerEntry,
    day: string,
    gap = false,
  ): void {
    const shown = amount ?? entry.stored?.amount ?? null;
    const detail = detailOf(reason, entry, amount);
    this.#differences.push({ invoiceId, reason, detail, gap, day, amount: shown });
  }

  result(): Pick<Certificate, "days" | "total" | "gaps" | "differences"> {
    const days = [...this.#days].map(([day, totals]) => ({ day, ...totals }));
    return {
      days: days.sort((a, b) => (a.day < b.day ? -1 : 1)),
      total: this.#total,
      gaps: this.#differences.filter((difference) => difference.gap).length,
      differences: this.#differences.sort(inOrder),
    };
  }
}

/** Gaps first, then by day and id. */
function inOrder(a: Difference, b: Difference): number {
  if (a.gap !== b.gap) return a.gap ? -1 : 1;
  return `${a.day} ${a.invoiceId}` < `${b.day} ${b.invoiceId}` ? -1 : 1;
}
