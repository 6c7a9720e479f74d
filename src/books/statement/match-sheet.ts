import { describePayments } from "../../confirm/invoices/read-invoices.ts";
import type { Database } from "../../database/tables.ts";
import type { Mask } from "../../kit/mask.ts";
import type { Column, Sheet, SheetRow } from "../report/sheet.ts";
import { type MatchItem, matchItemPages, type StatementMatch } from "./statement-match-row.ts";

/** A line and a sum side by side; of a match with several, each has a row of its own. */
interface Row {
  item: MatchItem;
  isFirst: boolean;
  line: MatchItem["lines"][number] | undefined;
  sum: MatchItem["sums"][number] | undefined;
  reference: string | null;
}

const columnsOf = ({ source, currency }: StatementMatch): Column<Row>[] => [
  { name: "row", kind: "text", of: () => "match" },
  { name: "match", kind: "text", of: ({ item }) => String(item.position) },
  { name: "state", kind: "text", of: ({ item }) => item.state },
  { name: "why", kind: "text", of: ({ item }) => item.why },
  { name: "source", kind: "text", of: () => source },
  { name: "line", kind: "text", of: ({ line }) => (line === undefined ? null : String(line.line)) },
  { name: "booked", kind: "day", of: ({ line }) => line?.day ?? null },
  { name: "bank_amount", kind: "money", total: "sum", of: ({ line }) => line?.amount ?? null },
  { name: "collection", kind: "text", of: ({ sum }) => sum?.collection ?? null },
  { name: "frequency", kind: "text", of: ({ sum }) => sum?.frequency ?? null },
  { name: "day", kind: "day", of: ({ sum }) => sum?.day ?? null },
  { name: "invoice_id", kind: "text", of: ({ sum }) => sum?.invoiceId ?? null },
  { name: "reference", kind: "text", of: ({ reference }) => reference },
  { name: "payments", kind: "count", total: "sum", of: ({ sum }) => (sum ? String(sum.payments) : null) },
  { name: "settleable", kind: "money", total: "sum", of: ({ sum }) => sum?.amount ?? null },
  {
    name: "difference",
    kind: "money",
    total: "sum",
    of: ({ item, isFirst }) => (isFirst ? item.difference : null),
  },
  { name: "currency", kind: "text", of: () => currency },
];

const PAGE = 500;

export function matchSheet(db: Database, match: StatementMatch, mask: Mask): Sheet {
  const columns = columnsOf(match);
  const cell = (row: Row, { kind, of }: Column<Row>) => {
    const value = of(row);
    return value === null || kind !== "text" ? value : mask(value);
  };
  return {
    name: "Statement",
    columns,
    currencies: [match.currency],
    rows: (async function* (): AsyncGenerator<SheetRow> {
      for await (const row of rowsOf(db, match))
        yield { currency: match.currency, cells: columns.map((column) => cell(row, column)) };
    })(),
  };
}

async function* rowsOf(db: Database, { id, source }: StatementMatch): AsyncGenerator<Row> {
  for await (const page of matchItemPages(db, id, { limit: PAGE })) {
    const invoices = page.flatMap(({ sums }) => sums.flatMap(({ invoiceId }) => invoiceId ?? []));
    const named = await describePayments(
      db,
      invoices.map((invoiceId) => ({ invoiceId, source })),
    );
    const references = new Map(named.map(({ invoiceId, reference }) => [invoiceId, reference]));
    for (const item of page)
      for (let at = 0; at < Math.max(item.lines.length, item.sums.length); at += 1) {
        const sum = item.sums[at];
        const reference = references.get(sum?.invoiceId ?? "") ?? null;
        yield { item, isFirst: at === 0, line: item.lines[at], sum, reference };
      }
  }
}
