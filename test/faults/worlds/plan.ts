import fc from "fast-check";

/** What Get Invoice says of an invoice. */
type Truth = "paid" | "unpaid" | "invalidated" | "unknown";

/** How a time of payment is written down. */
const DATE_FORMS = [
  ...[
    "utc",
    "offset",
    "without a zone",
    "day",
    "none",
    "empty",
    "garbage",
    "in the future",
    "before creation",
  ],
  ...["year 1", "milliseconds", "an impossible zone", "another calendar", "an impossible day"],
] as const;
export type DateForm = string;

/** What happens at the provider after the relay has seen the payment. */
export type Later =
  | "nothing"
  | "charges corrected"
  | "moved to another day"
  | "date filled in"
  | "total changed"
  | "amount changed"
  | "reversed"
  | "vanished";

/** What somebody deletes or edits in the relay's tables after the payment was published. */
type Hole =
  | "none"
  | "event"
  | "publication"
  | "invoice"
  | "confirmation"
  | "amount of the event"
  | "amount of the invoice";

export interface InvoicePlan {
  truth: Truth;
  unknownStatus: string;
  type: "Live" | "Test";
  /** The payment, in minutes before the world begins; and the creation before it. */
  paidMinutesAgo: number;
  createdMinutesBefore: number;
  /** Its callback came. */
  heard: boolean;
  /** What the list calls it: undefined for the truth. */
  label: string | number | null | undefined;
  listDate: DateForm;
  answerDate: DateForm;
  later: Later;
  /** A callback tells of what came later. */
  told: boolean;
  hole: Hole;
  /** Its metadata has 3,000 levels. */
  deep: boolean;
}

/** How a list behaves. */
export interface ListPlan {
  statusFilter: "by label" | "by label, any case" | "by truth" | "ignored" | "shows nothing";
  dateFilter: "creation" | "payment" | "ignored" | "shows nothing";
  typeFilter: "kept" | "ignored";
  zoneHours: number;
  /** Which of its first and last day a period holds. */
  ends: "both" | "first" | "last" | "neither";
  /** Without a type in the question it holds no Test invoices. */
  hidesTest: boolean;
  order: "newest" | "oldest" | "id";
  cap: number;
  count: "right" | "missing" | "zero past the end" | "one too many" | "one too few" | "of the page";
  next: "right" | "missing" | "never" | "always";
  pastTheEnd: "empty" | "not found" | "last page";
  pages: "whole" | "shuffled" | "last item missing" | "first page again" | "empty after the first";
  hasAmounts: boolean;
  /** Invoices leave the list, or come to it, while it is read: one with every so many pages; 0 for never. */
  leaves: number;
  joins: number;
  /** So many requests for a list are answered 429 first. */
  tooMany: number;
}

export interface SourcePlan {
  list: ListPlan;
  invoices: InvoicePlan[];
}

export interface WorldPlan {
  /** PROVIDER_TIME_ZONE, in which times without a zone are. */
  zone: string;
  sources: SourcePlan[];
}

const weighted = <Value>(...choices: [weight: number, value: Value][]) =>
  fc.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));

const LABELS = [
  ...[
    "PAID",
    " paid ",
    "Settled",
    "Successful",
    "Overpaid",
    "Completed",
    "Partially Paid",
    "bezahlt",
    "已付",
  ],
  ...["", "Unpaid", "Invalidated", "expired", "\u0000", 1, null],
];

const dateForm: fc.Arbitrary<DateForm> = fc.oneof(
  { weight: 12, arbitrary: fc.constant("utc") },
  { weight: 3, arbitrary: fc.constantFrom("offset", "without a zone", "day") },
  { weight: 3, arbitrary: fc.constantFrom(...DATE_FORMS) },
);

// The first of each is the plainest, to which a failing world shrinks.
const invoice: fc.Arbitrary<InvoicePlan> = fc.record({
  truth: weighted<Truth>([8, "paid"], [2, "unpaid"], [1, "invalidated"], [1, "unknown"]),
  unknownStatus: fc.constantFrom("Settled", "Overpaid", "processing", "已付"),
  type: weighted<"Live" | "Test">([8, "Live"], [1, "Test"]),
  paidMinutesAgo: fc.integer({ min: 5, max: 6 * 1_440 }),
  createdMinutesBefore: fc.integer({ min: 1, max: 5 * 1_440 }),
  heard: weighted([3, true], [2, false]),
  label: fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: fc.constantFrom(...LABELS) },
  ),
  listDate: dateForm,
  answerDate: dateForm,
  later: weighted<Later>(
    [14, "nothing"],
    [2, "charges corrected"],
    [2, "moved to another day"],
    [1, "date filled in"],
    [1, "total changed"],
    [1, "amount changed"],
    [1, "reversed"],
    [1, "vanished"],
  ),
  told: weighted([2, true], [1, false]),
  hole: weighted<Hole>(
    [40, "none"],
    [1, "event"],
    [1, "publication"],
    [1, "invoice"],
    [1, "confirmation"],
    [1, "amount of the event"],
    [1, "amount of the invoice"],
  ),
  deep: weighted([30, false], [1, true]),
});

const list: fc.Arbitrary<ListPlan> = fc.record({
  statusFilter: weighted<ListPlan["statusFilter"]>(
    [5, "by label"],
    [2, "by label, any case"],
    [2, "by truth"],
    [1, "ignored"],
    [1, "shows nothing"],
  ),
  dateFilter: weighted<ListPlan["dateFilter"]>(
    [10, "creation"],
    [4, "payment"],
    [2, "ignored"],
    [1, "shows nothing"],
  ),
  typeFilter: weighted<ListPlan["typeFilter"]>([5, "kept"], [1, "ignored"]),
  zoneHours: fc.constantFrom(0, 1, -12, 14),
  ends: weighted<ListPlan["ends"]>([3, "both"], [1, "first"], [1, "last"], [1, "neither"]),
  hidesTest: fc.boolean(),
  order: fc.constantFrom<ListPlan["order"][]>("newest", "oldest", "id"),
  cap: fc.constantFrom(100, 20, 4),
  count: weighted<ListPlan["count"]>(
    [12, "right"],
    [2, "missing"],
    [2, "zero past the end"],
    [1, "one too many"],
    [1, "one too few"],
    [1, "of the page"],
  ),
  next: weighted<ListPlan["next"]>([6, "right"], [2, "missing"], [1, "never"], [1, "always"]),
  pastTheEnd: weighted<ListPlan["pastTheEnd"]>([4, "empty"], [2, "not found"], [1, "last page"]),
  pages: weighted<ListPlan["pages"]>(
    [16, "whole"],
    [1, "shuffled"],
    [1, "last item missing"],
    [1, "first page again"],
    [1, "empty after the first"],
  ),
  hasAmounts: weighted([4, true], [1, false]),
  leaves: weighted([12, 0], [1, 1], [1, 3]),
  joins: weighted([6, 0], [1, 2], [1, 5]),
  tooMany: weighted([30, 0], [1, 1], [1, 2]),
});

/** As an ordinary provider is: then nothing excuses a refusal, nor a difference that was not made by hand. */
const asOrdinary = ({ list, invoices }: SourcePlan): SourcePlan => ({
  list: {
    ...list,
    ...{ statusFilter: "by label", pages: "whole", leaves: 0 },
    dateFilter: list.dateFilter === "shows nothing" ? "ignored" : list.dateFilter,
    count: list.count === "missing" || list.count === "zero past the end" ? list.count : "right",
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

const source: fc.Arbitrary<SourcePlan> = fc
  .record({
    isOrdinary: fc.boolean(),
    list,
    invoices: fc.array(invoice, { minLength: 1, maxLength: 30, size: "max" }),
  })
  .map(({ isOrdinary, ...one }) => (isOrdinary ? asOrdinary(one) : one));

/** Zones ahead of and behind UTC; the last ones have days of 23 and 25 hours. */
const ZONES = [
  "UTC",
  "Africa/Lagos",
  "Asia/Kathmandu",
  "Pacific/Kiritimati",
  "Europe/London",
  "America/New_York",
];

export const worlds: fc.Arbitrary<WorldPlan> = fc.record({
  zone: fc.constantFrom(...ZONES),
  sources: fc
    .array(source, { minLength: 1, maxLength: 2, size: "max" })
    .map((sources) =>
      sources.map((one) => ({ ...one, invoices: one.invoices.slice(0, 30 / sources.length) })),
    ),
});
