import fc from "fast-check";
import { DATE_FORMS } from "./dates.ts";

type Of<Drawn> = Drawn extends fc.Arbitrary<infer Value> ? Value : never;

/** One of these values, as often as its weight says. A failing scenario shrinks to the first, the plainest. */
const weighted = <const Value>(...choices: [weight: number, value: Value][]): fc.Arbitrary<Value> =>
  fc.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));

const LIKE_PAID = ["PAID", " paid ", "Settled", "Successful", "Overpaid", "Completed", "Partially Paid"];
const UNLIKE_PAID = ["bezahlt", "已付", "", "Unpaid", "Invalidated", "expired", "\u0000", 1, null];

const dateForm = fc.oneof(
  { weight: 12, arbitrary: fc.constant("utc" as const) },
  { weight: 3, arbitrary: fc.constantFrom("offset", "without a zone", "day") },
  { weight: 3, arbitrary: fc.constantFrom(...DATE_FORMS) },
);

const invoice = fc.record({
  /** What Get Invoice says of it. */
  truth: weighted([8, "paid"], [2, "unpaid"], [1, "invalidated"], [1, "unknown"]),
  unknownStatus: fc.constantFrom("Settled", "Overpaid", "processing", "已付"),
  type: weighted([8, "Live"], [1, "Test"]),
  /** The payment, in minutes before the day of the scenario begins; and the creation before it. */
  paidMinutesBefore: fc.integer({ min: 5, max: 6 * 1_440 }),
  createdMinutesBefore: fc.integer({ min: 1, max: 5 * 1_440 }),
  /** Its callback came. */
  heard: weighted([3, true], [2, false]),
  /** What the list calls it: undefined for the truth. */
  label: fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: fc.constantFrom(...LIKE_PAID, ...UNLIKE_PAID) },
  ),
  listDate: dateForm,
  answerDate: dateForm,
  /** What happens at the provider after the relay has seen the payment. */
  later: weighted(
    [14, "nothing"],
    [2, "charges corrected"],
    [2, "moved to another day"],
    [1, "date filled in"],
    [1, "total changed"],
    [1, "amount changed"],
    [1, "reversed"],
    [1, "vanished"],
  ),
  /** A callback tells of what came later. */
  told: weighted([2, true], [1, false]),
  /** What somebody deletes or edits in the relay's tables after the payment was published. */
  hole: weighted(
    [40, "none"],
    [1, "event"],
    [1, "publication"],
    [1, "invoice"],
    [1, "confirmation"],
    [1, "amount of the event"],
    [1, "amount of the invoice"],
  ),
  /** Its metadata has 3,000 levels. */
  deep: weighted([30, false], [1, true]),
});

/** How a list behaves. */
const list = fc.record({
  statusFilter: weighted(
    [5, "by label"],
    [2, "by label, any case"],
    [2, "by truth"],
    [1, "ignored"],
    [1, "shows nothing"],
  ),
  dateFilter: weighted([10, "creation"], [4, "payment"], [2, "ignored"], [1, "shows nothing"]),
  typeFilter: weighted([5, "kept"], [1, "ignored"]),
  zoneHours: fc.constantFrom(0, 1, -12, 14),
  /** Which of its first and last day a period holds. */
  ends: weighted([3, "both"], [1, "first"], [1, "last"], [1, "neither"]),
  /** Without a type in the question it holds no Test invoices. */
  hidesTest: fc.boolean(),
  order: fc.constantFrom("newest", "oldest", "id"),
  cap: fc.constantFrom(100, 20, 4),
  count: weighted(
    [12, "right"],
    [2, "missing"],
    [2, "zero past the end"],
    [1, "one too many"],
    [1, "one too few"],
    [1, "of the page"],
  ),
  next: weighted([6, "right"], [2, "missing"], [1, "never"], [1, "always"]),
  pastTheEnd: weighted([4, "empty"], [2, "not found"], [1, "last page"]),
  pages: weighted(
    [16, "whole"],
    [1, "shuffled"],
    [1, "last item missing"],
    [1, "first page again"],
    [1, "empty after the first"],
  ),
  hasAmounts: weighted([4, true], [1, false]),
  /** Invoices leave the list, or come to it, while it is read: one with every so many pages; 0 for never. */
  leaves: weighted([12, 0], [1, 1], [1, 3]),
  joins: weighted([6, 0], [1, 2], [1, 5]),
  /** So many requests for the list are answered 429 first. */
  tooMany: weighted([30, 0], [1, 1], [1, 2]),
});

export type InvoicePlan = Of<typeof invoice>;
export type ListPlan = Of<typeof list>;

interface SourcePlan {
  list: ListPlan;
  invoices: InvoicePlan[];
}

/** As an ordinary provider is: then nothing excuses a refusal, nor a difference that was not made by hand. */
const asOrdinary = ({ list, invoices }: SourcePlan): SourcePlan => ({
  list: {
    ...list,
    statusFilter: "by label",
    pages: "whole",
    leaves: 0,
    dateFilter: list.dateFilter === "shows nothing" ? "ignored" : list.dateFilter,
    count: list.count === "zero past the end" ? list.count : "right",
    next: list.next === "missing" ? "missing" : "right",
    pastTheEnd: list.pastTheEnd === "last page" ? "empty" : list.pastTheEnd,
  },
  invoices: invoices.map((one) => ({
    ...one,
    truth: one.truth === "unknown" ? "unpaid" : one.truth,
    label: undefined,
    later: one.later === "reversed" || one.later === "vanished" ? "nothing" : one.later,
  })),
});

const source = fc
  .record({
    isOrdinary: fc.boolean(),
    list,
    invoices: fc.array(invoice, { minLength: 1, maxLength: 30, size: "max" }),
  })
  .map(({ isOrdinary, ...one }): SourcePlan => (isOrdinary ? asOrdinary(one) : one));

export const scenarios = fc.record({
  /** PROVIDER_TIME_ZONE, in which times without a zone are: ahead of UTC and behind it, two with summer time. */
  zone: fc.constantFrom(
    "UTC",
    "Africa/Lagos",
    "Asia/Kathmandu",
    "Pacific/Kiritimati",
    "Europe/London",
    "America/New_York",
  ),
  sources: fc
    .array(source, { minLength: 1, maxLength: 2, size: "max" })
    .map((sources) =>
      sources.map((one) => ({ ...one, invoices: one.invoices.slice(0, 30 / sources.length) })),
    ),
});

export type ScenarioPlan = Of<typeof scenarios>;
