import { describePayments } from "../../pipeline/confirm/index.ts";
import {
  EARLIEST,
  type Difference as Named,
  readCalendar,
  readCertificatePage,
} from "../../pipeline/reconcile/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { RelayError } from "../../platform/errors/index.ts";
import {
  bookDayOf,
  bookDaysOf,
  bookPeriod,
  bookTimeOf,
  dayOf,
  type Mask,
} from "../../platform/values/index.ts";
import { type Money, moneyOf, sumOfMoney } from "../../provider/index.ts";
import { type BookSource, type Payment, readPayments } from "./read-payments.ts";
import { type Column, cellsOf, count, day, id, money, type Sheet, text, time } from "./sheet.ts";

interface ReportRequest {
  /** The sources to read, in any order. */
  sources: readonly BookSource[];
  /** Days of payment in the zone of each source, YYYY-MM-DD, both included. */
  from: string;
  to: string;
  collection?: string | undefined;
  /** Whether the reader may see who paid. */
  showsPayers: boolean;
  /** Takes callback tokens out of a text. */
  mask: Mask;
}

type Reader = (db: Database, request: ReportRequest) => Sheet;

const report =
  <Item extends { source: BookSource }>(
    name: string,
    columnsOf: (request: ReportRequest) => readonly Column<Item>[],
    read: (db: Database, request: ReportRequest, source: BookSource) => AsyncIterable<Item>,
  ): Reader =>
  (db, request) => {
    const columns = columnsOf(request);
    return {
      name,
      columns,
      rows: (async function* () {
        for (const source of request.sources.toSorted(byCurrency))
          for await (const item of read(db, request, source)) yield cellsOf(columns, item, request.mask);
      })(),
    };
  };

const byCurrency = (one: BookSource, other: BookSource): number =>
  one.currency.localeCompare(other.currency) || one.name.localeCompare(other.name);

const paymentsIn = (
  db: Database,
  { from, to, collection }: ReportRequest,
  source: BookSource,
  forSums?: true,
) => readPayments(db, { source, collection, forSums, ...bookPeriod(from, to, source.zone) });

type Sourced = { source: BookSource };

const row = (kind: string): Column<unknown> => text("row", () => kind);
const SOURCE: Column<Sourced> = text("source", ({ source }) => source.name);
const CURRENCY: Column<Sourced> = text("currency", ({ source }) => source.currency);
/** Of days and of times. */
const ZONE: Column<Sourced> = text("time_zone", ({ source }) => source.zone);

/** The amounts of an invoice; `settleable` is the part that the provider owes. */
const AMOUNTS = ["amount", "serviceCharge", "vat", "total", "settleable"] as const;

/** `service_charge`. */
const columnNamed = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const dayPaid = ({ countedAt, source }: Payment) => bookDayOf(countedAt, source.zone);

type Times = "paidAt" | "calledBackAt" | "confirmedAt" | "publishedAt";

const timeOf = (name: string, which: Times): Column<Payment> =>
  time(name, ({ source, [which]: at }) => (at === null ? null : bookTimeOf(at, source.zone)));

const paymentColumns = ({ showsPayers }: ReportRequest): Column<Payment>[] => [
  row("payment"),
  SOURCE,
  text("collection", ({ collection }) => collection),
  text("reference", ({ reference }) => reference),
  id("invoice_id", ({ invoiceId }) => invoiceId),
  text("payer", ({ payer }) => (showsPayers || payer === null ? payer : "***")),
  text("method", ({ method }) => method),
  ...AMOUNTS.map((name) => money(columnNamed(name), (payment: Payment) => moneyOf(payment[name]) ?? null)),
  CURRENCY,
  day("day", dayPaid),
  timeOf("paid", "paidAt"),
  timeOf("called_back", "calledBackAt"),
  timeOf("confirmed", "confirmedAt"),
  timeOf("published_at", "publishedAt"),
  id("message_id", ({ messageId }) => messageId),
  text("verdict", ({ verdict }) => verdict),
  ZONE,
];

/** More days and collections than anybody reads; as many fit into memory. */
const DAYS_LIMIT = 100_000;

/** The payments of one day and collection. */
interface DaySums extends Sourced {
  day: string;
  collection: string | null;
  payments: number;
  /** Of `AMOUNTS`. */
  sums: Money[];
}

/**
 * Adds up the payments of each day and collection, in this order. An amount that the provider left out adds nothing.
 * @throws RelayError when there are more than 100,000.
 */
async function* sumsOfDays(
  db: Database,
  request: ReportRequest,
  source: BookSource,
): AsyncGenerator<DaySums> {
  const found = new Map<string, DaySums>();
  for await (const payment of paymentsIn(db, request, source, true)) {
    const [day, { collection }] = [dayPaid(payment), payment];
    const key = JSON.stringify([day, collection]);
    const one = found.get(key) ?? { source, day, collection, payments: 0, sums: AMOUNTS.map(() => "0.00") };
    found.set(key, one);
    if (found.size > DAYS_LIMIT)
      throw new RelayError("There are more than 100,000 days and collections. Choose a shorter period.");
    one.payments += 1;
    one.sums = AMOUNTS.map((name, at) => sumOfMoney([one.sums[at] ?? "0", moneyOf(payment[name]) ?? "0"]));
  }
  for (const [, sums] of [...found].sort(([one], [other]) => (one < other ? -1 : 1))) yield sums;
}

const DAY_COLUMNS: readonly Column<DaySums>[] = [
  row("day"),
  SOURCE,
  text("collection", ({ collection }) => collection),
  day("day", ({ day }) => day),
  count("payments", ({ payments }) => String(payments)),
  ...AMOUNTS.map((name, at) => money(columnNamed(name), ({ sums }: DaySums) => sums[at] ?? null)),
  CURRENCY,
  ZONE,
];

const DIFFERENCE_COLUMNS: Column<Difference>[] = [
  row("difference"),
  SOURCE,
  text("collection", ({ collection }) => collection),
  text("reference", ({ reference }) => reference),
  day("day", ({ day }) => day),
  text("weight", ({ weight }) => weight),
  text("reason", ({ reason }) => reason),
  id("invoice_id", ({ invoiceId }) => invoiceId),
  id("event_id", ({ eventId }) => eventId),
  money("amount", ({ amount }) => amount),
  CURRENCY,
  text("detail", ({ detail }) => detail),
  id("certificate", ({ certificateId }) => certificateId),
  ZONE,
];

export const REPORTS = {
  payments: report("Payments", paymentColumns, paymentsIn),
  days: report("Days", () => DAY_COLUMNS, sumsOfDays),
  differences: report("Differences", () => DIFFERENCE_COLUMNS, readDifferences),
} as const satisfies Record<string, Reader>;

type ReportName = keyof typeof REPORTS;
export const REPORT_NAMES = Object.keys(REPORTS) as [ReportName, ...ReportName[]];

interface Difference extends Omit<Named, "weight" | "reason" | "reference"> {
  source: BookSource;
  weight: Named["weight"] | "unproven";
  reason: Named["reason"] | "no_certificate";
  /** null without one. */
  certificateId: string | null;
  /** Of the stored invoice. */
  collection: string | null;
  reference: string | null;
}

const PAGE = 500;

/**
 * Day by day, what the newest certificate that covers the whole source names.
 * @param collection only differences of its invoices; days that nothing is shown of are there in any case.
 */
async function* readDifferences(
  db: Database,
  { collection, ...given }: { from: string; to: string; collection?: string | undefined },
  source: BookSource,
): AsyncGenerator<Difference, void, undefined> {
  const { zone } = source;
  const today = bookDayOf(Date.now(), zone);
  const first = dayOf(EARLIEST);
  const from = given.from < first ? first : given.from;
  const to = given.to > today ? today : given.to;
  const calendar = await readCalendar(db, { from, to, sources: [source] });
  const certified = new Map(calendar.map(({ day, certificateId }) => [day, certificateId]));
  for (const day of bookDaysOf(bookPeriod(from, to, zone), zone)) {
    const certificateId = certified.get(day) ?? null;
    if (certificateId !== null) {
      for await (const difference of differencesOf(db, source, certificateId, day))
        if (collection === undefined || difference.collection === collection) yield difference;
    } else yield unproven(source, day);
  }
}

async function* differencesOf(
  db: Database,
  source: BookSource,
  certificateId: string,
  day: string,
): AsyncGenerator<Difference, void, undefined> {
  for (let after: number | null = 0; after !== null; ) {
    const page = await readCertificatePage(db, certificateId, { day, limit: PAGE, after });
    const named = page?.differences ?? [];
    const invoices = await describePayments(
      db,
      named.flatMap(({ invoiceId }) => (invoiceId === null ? [] : [{ invoiceId, source: source.name }])),
    );
    const known = new Map(invoices.map(({ invoiceId, ...invoice }) => [invoiceId, invoice]));
    for (const difference of named) {
      const { collection = null, reference = null } = known.get(difference.invoiceId ?? "") ?? {};
      yield { ...difference, source, certificateId, collection, reference };
    }
    after = page?.next ?? null;
  }
}

const unproven = (source: BookSource, day: string): Difference => ({
  source,
  day,
  weight: "unproven",
  reason: "no_certificate",
  detail: "No certificate of all its collections covers this day.",
  invoiceId: null,
  eventId: null,
  reference: null,
  amount: null,
  certificateId: null,
  collection: null,
});
