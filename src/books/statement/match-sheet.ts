import { describePayments } from "../../confirm/invoices/read-invoices.ts";
import type { Database } from "../../database/tables.ts";
import type { Mask } from "../../kit/mask.ts";
import { type Column, cellsOf, count, day, money, type Sheet, type SheetRow, text } from "../report/sheet.ts";
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
  text("row", () => "match"),
  text("match", ({ item }) => String(item.position)),
  text("state", ({ item }) => item.state),
  text("why", ({ item }) => item.why),
  text("source", () => source),
  text("line", ({ line }) => (line === undefined ? null : String(line.line))),
  day("booked", ({ line }) => line?.day ?? null),
  money("bank_amount", ({ line }) => line?.amount ?? null, "sum"),
  text("collection", ({ sum }) => sum?.collection ?? null),
  text("frequency", ({ sum }) => sum?.frequency ?? null),
  day("day", ({ sum }) => sum?.day ?? null),
  text("invoice_id", ({ sum }) => sum?.invoiceId ?? null),
  text("reference", ({ reference }) => reference),
  count("payments", ({ sum }) => (sum ? String(sum.payments) : null), "sum"),
  money("settleable", ({ sum }) => sum?.amount ?? null, "sum"),
  money("difference", ({ item, isFirst }) => (isFirst ? item.difference : null), "sum"),
  text("currency", () => currency),
];

const PAGE = 500;

export function matchSheet(db: Database, match: StatementMatch, mask: Mask): Sheet {
  const { currency } = match;
  const columns = columnsOf(match);
  const rows = async function* (): AsyncGenerator<SheetRow> {
    for await (const row of rowsOf(db, match)) yield { currency, cells: cellsOf(columns, row, mask) };
  };
  return { name: "Statement", columns, currencies: [currency], rows: rows() };
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
