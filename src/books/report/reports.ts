import type { Database } from "../../database/tables.ts";
import { bookDayOf, bookPeriod, bookTimeOf } from "../../kit/book-days.ts";
import { RelayError } from "../../kit/errors.ts";
import type { Mask } from "../../kit/mask.ts";
import { type Money, moneyOf, sumOfMoney } from "../../provider/provider.ts";
import type { BookSource } from "../book-source.ts";
import { type Difference, readDifferences } from "./read-differences.ts";
import { type Payment, readPayments } from "./read-payments.ts";
import type { Column, Sheet, SheetRow } from "./sheet.ts";

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
    columns: (request: ReportRequest) => readonly Column<Item>[],
    read: (db: Database, request: ReportRequest, source: BookSource) => AsyncIterable<Item>,
  ): Reader =>
  (db, request) => {
    const shown = columns(request);
    const sources = request.sources.toSorted(byCurrency);
    return {
      name,
      columns: shown,
      currencies: [...new Set(sources.map(({ currency }) => currency))],
      rows: (async function* (): AsyncGenerator<SheetRow> {
        for (const source of sources)
          for await (const item of read(db, request, source))
            yield {
              currency: source.currency,
              cells: shown.map(({ kind, of }) => {
                const cell = of(item);
                return cell === null || kind !== "text" ? cell : request.mask(cell);
              }),
            };
      })(),
    };
  };

const byCurrency = (one: BookSource, other: BookSource): number =>
  one.currency === other.currency
    ? one.name.localeCompare(other.name)
    : one.currency.localeCompare(other.currency);

const paymentsIn = (
  db: Database,
  { from, to, collection }: ReportRequest,
  source: BookSource,
  forSums?: true,
) => readPayments(db, { source, collection, forSums, ...bookPeriod(from, to, source.zone) });

const timeIn = (at: Date | null, { zone }: BookSource): string | null =>
  at === null ? null : bookTimeOf(at, zone);

const rowOf = <Item>(kind: string): Column<Item> => ({ name: "row", kind: "text", of: () => kind });

const SOURCE: Column<{ source: BookSource }> = {
  name: "source",
  kind: "text",
  of: ({ source }) => source.name,
};
const CURRENCY: Column<{ source: BookSource }> = {
  name: "currency",
  kind: "text",
  of: ({ source }) => source.currency,
};
/** Of days and of times. */
const ZONE: Column<{ source: BookSource }> = {
  name: "time_zone",
  kind: "text",
  of: ({ source }) => source.zone,
};

const AMOUNTS = {
  amount: ({ amount }) => amount,
  service_charge: ({ serviceCharge }) => serviceCharge,
  vat: ({ vat }) => vat,
  total: ({ total }) => total,
  settleable: ({ settleable }) => settleable,
} satisfies Record<string, (payment: Payment) => Money | null>;

const amountsOf = (payment: Payment) => Object.values(AMOUNTS).map((of) => moneyOf(of(payment)) ?? null);

const paymentColumns = ({ showsPayers }: ReportRequest): Column<Payment>[] => [
  rowOf("payment"),
  SOURCE,
  { name: "collection", kind: "text", of: ({ collection }) => collection },
  { name: "reference", kind: "text", of: ({ reference }) => reference },
  { name: "invoice_id", kind: "text", total: "count", of: ({ invoiceId }) => invoiceId },
  { name: "payer", kind: "text", of: ({ payer }) => (showsPayers || payer === null ? payer : "***") },
  { name: "method", kind: "text", of: ({ method }) => method },
  ...Object.entries(AMOUNTS).map(
    ([name, of]): Column<Payment> => ({
      name,
      kind: "money",
      total: "sum",
      of: (payment) => moneyOf(of(payment)) ?? null,
    }),
  ),
  CURRENCY,
  { name: "day", kind: "day", of: ({ countedAt, source }) => bookDayOf(countedAt, source.zone) },
  { name: "paid", kind: "time", of: ({ paidAt, source }) => timeIn(paidAt, source) },
  { name: "called_back", kind: "time", of: ({ calledBackAt, source }) => timeIn(calledBackAt, source) },
  { name: "confirmed", kind: "time", of: ({ confirmedAt, source }) => timeIn(confirmedAt, source) },
  { name: "published_at", kind: "time", of: ({ publishedAt, source }) => timeIn(publishedAt, source) },
  { name: "message_id", kind: "text", of: ({ messageId }) => messageId },
  { name: "verdict", kind: "text", of: ({ verdict }) => verdict },
  ZONE,
];

interface Group<Key> {
  key: Key;
  payments: number;
  sums: Money[];
}

/** More groups than anybody reads; as many fit into memory. */
const GROUP_LIMIT = 100_000;

/** What one payment adds to a group; null adds nothing. */
interface Addend<Key> {
  key: Key;
  amounts: readonly (Money | null)[];
}

/**
 * Adds up payments by their keys, in the order of the keys' texts.
 * @param key arrays of texts and nulls are the same when their parts are.
 * @throws RelayError when there are more than 100,000 groups.
 */
async function groupsOf<Key extends readonly (string | null)[]>(
  addends: AsyncIterable<Addend<Key>>,
): Promise<Group<Key>[]> {
  const groups = new Map<string, Group<Key>>();
  for await (const { key, amounts } of addends) {
    const name = JSON.stringify(key);
    const group = groups.get(name) ?? { key, payments: 0, sums: amounts.map(() => "0.00") };
    groups.set(name, group);
    if (groups.size > GROUP_LIMIT)
      throw new RelayError("There are more than 100,000 groups in this period. Choose a shorter one.");
    group.payments += 1;
    for (const [at, amount] of amounts.entries())
      if (amount !== null) group.sums[at] = sumOfMoney([group.sums[at] ?? "0", amount]);
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group);
}

interface PaymentGroup {
  source: BookSource;
  collection: string | null;
  key: string | null;
  payments: number;
  sums: Money[];
}

const totalsBy = (
  name: string,
  row: string,
  column: Pick<Column<PaymentGroup>, "name" | "kind"> | null,
  keyOf: (payment: Payment) => string | null,
): Reader =>
  report<PaymentGroup>(
    name,
    () => [
      rowOf(row),
      SOURCE,
      { name: "collection", kind: "text", of: ({ collection }) => collection },
      ...(column === null ? [] : [{ ...column, of: ({ key }: PaymentGroup) => key }]),
      { name: "payments", kind: "count", total: "sum", of: ({ payments }) => String(payments) },
      ...Object.keys(AMOUNTS).map(
        (amount, at): Column<PaymentGroup> => ({
          name: amount,
          kind: "money",
          total: "sum",
          of: ({ sums }) => sums[at] ?? null,
        }),
      ),
      CURRENCY,
      ZONE,
    ],
    async function* (db, request, source) {
      const addends = async function* () {
        for await (const payment of paymentsIn(db, request, source, true))
          yield { key: [keyOf(payment), payment.collection] as const, amounts: amountsOf(payment) };
      };
      for (const { key, ...group } of await groupsOf(addends()))
        yield { source, key: key[0], collection: key[1], ...group };
    },
  );

interface BeneficiaryGroup {
  source: BookSource;
  account: string | null;
  payments: number;
  sums: Money[];
}

const BENEFICIARY_COLUMNS: Column<BeneficiaryGroup>[] = [
  rowOf("beneficiary"),
  SOURCE,
  { name: "beneficiary", kind: "text", of: ({ account }) => account },
  { name: "payments", kind: "count", of: ({ payments }) => String(payments) },
  { name: "beneficiary_amount", kind: "money", total: "sum", of: ({ sums }) => sums[0] ?? null },
  CURRENCY,
];

const DIFFERENCE_COLUMNS: Column<Difference>[] = [
  rowOf("difference"),
  SOURCE,
  { name: "collection", kind: "text", of: ({ collection }) => collection },
  { name: "reference", kind: "text", of: ({ reference }) => reference },
  { name: "day", kind: "day", of: ({ day }) => day },
  { name: "weight", kind: "text", of: ({ weight }) => weight },
  { name: "reason", kind: "text", of: ({ reason }) => reason },
  { name: "invoice_id", kind: "text", of: ({ invoiceId }) => invoiceId },
  { name: "event_id", kind: "text", of: ({ eventId }) => eventId },
  { name: "amount", kind: "money", of: ({ amount }) => amount },
  CURRENCY,
  { name: "detail", kind: "text", of: ({ detail }) => detail },
  { name: "certificate", kind: "text", of: ({ certificateId }) => certificateId },
  ZONE,
];

export const REPORTS = {
  payments: report("Payments", paymentColumns, (db, request, source) => paymentsIn(db, request, source)),
  days: totalsBy("Days", "day", { name: "day", kind: "day" }, ({ countedAt, source }) =>
    bookDayOf(countedAt, source.zone),
  ),
  collections: totalsBy("Collections", "collection", null, ({ collection }) => collection),
  methods: totalsBy("Methods", "method", { name: "method", kind: "text" }, ({ method }) => method),
  beneficiaries: report(
    "Beneficiaries",
    () => BENEFICIARY_COLUMNS,
    async function* (db, request, source) {
      const addends = async function* () {
        for await (const { shares } of paymentsIn(db, request, source, true))
          for (const { account, amount } of shares ?? [])
            yield { key: [account] as const, amounts: [moneyOf(amount) ?? null] };
      };
      for (const { key, ...group } of await groupsOf(addends())) yield { source, account: key[0], ...group };
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
