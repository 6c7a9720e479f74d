import type { Database } from "../../database/tables.ts";
import { bookDayOf, bookPeriod, bookTimeOf } from "../../kit/book-days.ts";
import { RelayError } from "../../kit/errors.ts";
import type { Mask } from "../../kit/mask.ts";
import { type Money, moneyOf, sumOfMoney } from "../../provider/provider.ts";
import type { BookSource } from "../book-source.ts";
import { AMOUNTS } from "../month/figures.ts";
import { type Difference, readDifferences } from "./read-differences.ts";
import { type Payment, readPayments } from "./read-payments.ts";
import { type Column, cellsOf, count, day, money, type Sheet, type SheetRow, text, time } from "./sheet.ts";

export interface ReportRequest {
  /** Those to read, in any order. */
  sources: readonly BookSource[];
  /** Days of payment in the zone of each source, YYYY-MM-DD, both included. */
  from: string;
  to: string;
  collection?: string | undefined;
  /** Whether whoever asks may see who paid. */
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
    const sources = request.sources.toSorted(byCurrency);
    return {
      name,
      columns,
      currencies: [...new Set(sources.map(({ currency }) => currency))],
      rows: (async function* (): AsyncGenerator<SheetRow> {
        for (const source of sources)
          for await (const item of read(db, request, source))
            yield { currency: source.currency, cells: cellsOf(columns, item, request.mask) };
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

/** `service_charge`. */
const columnNamed = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const dayOf = ({ countedAt, source }: Payment) => bookDayOf(countedAt, source.zone);

type Times = "paidAt" | "calledBackAt" | "confirmedAt" | "publishedAt";

const timeOf = (name: string, which: Times): Column<Payment> =>
  time(name, ({ source, [which]: at }) => (at === null ? null : bookTimeOf(at, source.zone)));

const paymentColumns = ({ showsPayers }: ReportRequest): Column<Payment>[] => [
  row("payment"),
  SOURCE,
  text("collection", ({ collection }) => collection),
  text("reference", ({ reference }) => reference),
  text("invoice_id", ({ invoiceId }) => invoiceId, "count"),
  text("payer", ({ payer }) => (showsPayers || payer === null ? payer : "***")),
  text("method", ({ method }) => method),
  ...AMOUNTS.map((name) =>
    money(columnNamed(name), (payment: Payment) => moneyOf(payment[name]) ?? null, "sum"),
  ),
  CURRENCY,
  day("day", dayOf),
  timeOf("paid", "paidAt"),
  timeOf("called_back", "calledBackAt"),
  timeOf("confirmed", "confirmedAt"),
  timeOf("published_at", "publishedAt"),
  text("message_id", ({ messageId }) => messageId),
  text("verdict", ({ verdict }) => verdict),
  ZONE,
];

/** More groups than anybody reads; as many fit into memory. */
const GROUP_LIMIT = 100_000;

interface Group extends Sourced {
  key: readonly (string | null)[];
  payments: number;
  sums: Money[];
}

/** What one payment adds to a group; null adds nothing. */
interface Addend {
  key: readonly (string | null)[];
  amounts: readonly (Money | null)[];
}

/**
 * Adds up payments by their keys, in the order of the keys' texts.
 * @throws RelayError when there are more than 100,000 groups.
 */
async function* groupsOf(source: BookSource, addends: AsyncIterable<Addend>): AsyncGenerator<Group> {
  const groups = new Map<string, Group>();
  for await (const { key, amounts } of addends) {
    const name = JSON.stringify(key);
    const group = groups.get(name) ?? { source, key, payments: 0, sums: amounts.map(() => "0.00") };
    groups.set(name, group);
    if (groups.size > GROUP_LIMIT)
      throw new RelayError("There are more than 100,000 groups in this period. Choose a shorter one.");
    group.payments += 1;
    for (const [at, amount] of amounts.entries())
      if (amount !== null) group.sums[at] = sumOfMoney([group.sums[at] ?? "0", amount]);
  }
  for (const [, group] of [...groups].sort(([one], [other]) => (one < other ? -1 : 1))) yield group;
}

const sum = (name: string, at: number): Column<Group> => money(name, ({ sums }) => sums[at] ?? null, "sum");

/** @param named the column of what they are added up by, beside their collection. */
const totalsBy = (
  name: string,
  kind: string,
  named: Column<Group>[],
  keyOf: (payment: Payment) => string | null,
): Reader =>
  report<Group>(
    name,
    () => [
      row(kind),
      SOURCE,
      text("collection", ({ key: [, collection = null] }) => collection),
      ...named,
      count("payments", ({ payments }) => String(payments), "sum"),
      ...AMOUNTS.map((amount, at) => sum(columnNamed(amount), at)),
      CURRENCY,
      ZONE,
    ],
    (db, request, source) => {
      const addends = async function* () {
        for await (const payment of paymentsIn(db, request, source, true))
          yield {
            key: [keyOf(payment), payment.collection],
            amounts: AMOUNTS.map((amount) => moneyOf(payment[amount]) ?? null),
          };
      };
      return groupsOf(source, addends());
    },
  );

const DIFFERENCE_COLUMNS: Column<Difference>[] = [
  row("difference"),
  SOURCE,
  text("collection", ({ collection }) => collection),
  text("reference", ({ reference }) => reference),
  day("day", ({ day }) => day),
  text("weight", ({ weight }) => weight),
  text("reason", ({ reason }) => reason),
  text("invoice_id", ({ invoiceId }) => invoiceId),
  text("event_id", ({ eventId }) => eventId),
  money("amount", ({ amount }) => amount),
  CURRENCY,
  text("detail", ({ detail }) => detail),
  text("certificate", ({ certificateId }) => certificateId),
  ZONE,
];

export const REPORTS = {
  payments: report("Payments", paymentColumns, paymentsIn),
  days: totalsBy("Days", "day", [day("day", ({ key: [day = null] }) => day)], dayOf),
  collections: totalsBy("Collections", "collection", [], ({ collection }) => collection),
  methods: totalsBy(
    "Methods",
    "method",
    [text("method", ({ key: [method = null] }) => method)],
    ({ method }) => method,
  ),
  beneficiaries: report<Group>(
    "Beneficiaries",
    () => [
      row("beneficiary"),
      SOURCE,
      text("beneficiary", ({ key: [account = null] }) => account),
      count("payments", ({ payments }) => String(payments)),
      sum("beneficiary_amount", 0),
      CURRENCY,
    ],
    (db, request, source) => {
      const addends = async function* () {
        for await (const { shares } of paymentsIn(db, request, source, true))
          for (const { account, amount } of shares ?? [])
            yield { key: [account], amounts: [moneyOf(amount) ?? null] };
      };
      return groupsOf(source, addends());
    },
  ),
  differences: report("Differences", () => DIFFERENCE_COLUMNS, readDifferences),
} as const satisfies Record<string, Reader>;

export type ReportName = keyof typeof REPORTS;
export const REPORT_NAMES = Object.keys(REPORTS) as [ReportName, ...ReportName[]];

/**
 * Why these days cannot be reported on; null when they can. Pure.
 * @param today the day that it is in the zone of the books that is furthest ahead.
 */
export function problemOf({ from, to }: Pick<ReportRequest, "from" | "to">, today: string): string | null {
  if (to < from) return `The last day, ${to}, is before the first, ${from}.`;
  if (from > today) return `${from} has not begun: there are no payments to report on yet.`;
  return null;
}
