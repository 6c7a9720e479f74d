import { expect, it } from "vitest";
import { type Cell, type SheetColumn, type SheetRow, Totals } from "../../../src/books/report/sheet.ts";
import { xlsxParts } from "../../../src/books/report/sheet-file.ts";
import { readZip } from "../read-zip.ts";

const COLUMNS: SheetColumn[] = [
  { name: "row", kind: "text" },
  { name: "id", kind: "id", total: "count" },
  { name: "amount", kind: "money", total: "sum" },
  { name: "payments", kind: "count", total: "sum" },
  { name: "day", kind: "day" },
  { name: "at", kind: "time" },
  { name: "currency", kind: "text" },
];

async function* rowsOf(rows: readonly (readonly Cell[])[]): AsyncGenerator<SheetRow> {
  for (const cells of rows) yield { currency: cells.at(-1) ?? "", cells };
}

/** The XML of workbook and sheet. */
async function made(currencies: string[], ...rows: (readonly Cell[])[]) {
  const sheet = { name: "R&D", columns: COLUMNS, currencies, rows: rowsOf(rows) };
  const parts: Buffer[] = [];
  for await (const part of xlsxParts(sheet, new Totals(sheet), new Date())) parts.push(Buffer.from(part));
  const files = readZip(Buffer.concat(parts));
  return {
    book: String(files.get("xl/workbook.xml")),
    sheet: String(files.get("xl/worksheets/sheet1.xml")),
  };
}

/** The cells of the sheet as their XML, by their names. */
async function cellsOf(...given: Parameters<typeof made>): Promise<Map<string, string>> {
  const { sheet } = await made(...given);
  return new Map(
    [...sheet.matchAll(/<c r="([A-Z]+\d+)"[^>]*>(.*?)<\/c>/g)].map(([, name = "", cell = ""]) => [
      name,
      cell,
    ]),
  );
}

const text = (value: string) => `<is><t xml:space="preserve">${value}</t></is>`;

it("numbers, days and times are numbers, and every digit is in the file", async () => {
  const cells = await cellsOf(
    ["NGN"],
    ["payment", "a", "-1234567890123.45", "3", "2026-10-31", "2026-10-31 12:00:00", "NGN"],
    ["payment", "b", "0.1000", "0", "1899-12-31", null, "NGN"],
  );
  expect(cells.get("A1")).toBe(text("row"));
  expect(cells.get("C2")).toBe("<v>-1234567890123.45</v>");
  expect(cells.get("D2")).toBe("<v>3</v>");
  expect(cells.get("E2")).toBe("<v>46326</v>");
  expect(cells.get("F2")).toBe("<v>46326.5</v>");
  expect(cells.get("C3")).toBe("<v>0.1000</v>");
  // Spreadsheets do not agree on the days of then.
  expect(cells.get("E3")).toBe(text("1899-12-31"));
  expect(cells.has("F3")).toBe(false);
});

it("the total of each currency is a formula over its own rows, with what it comes to", async () => {
  const row = (id: string, amount: string, currency: string) => [
    "payment",
    id,
    amount,
    "2",
    null,
    null,
    currency,
  ];
  const cells = await cellsOf(
    ["GBP", "NGN", "USD"],
    row("a", "0.10", "GBP"),
    row("b", "0.20", "GBP"),
    row("c", "5", "NGN"),
  );
  expect(cells.get("A5")).toBe(text("total"));
  expect(cells.get("B5")).toBe("<f>SUBTOTAL(103,B2:B3)</f><v>2</v>");
  expect(cells.get("C5")).toBe("<f>SUBTOTAL(109,C2:C3)</f><v>0.30</v>");
  expect(cells.get("D5")).toBe("<f>SUBTOTAL(109,D2:D3)</f><v>4</v>");
  expect(cells.get("C6")).toBe("<f>SUBTOTAL(109,C4:C4)</f><v>5.00</v>");
  expect([cells.get("G5"), cells.get("G6"), cells.get("G7")]).toEqual([
    text("GBP"),
    text("NGN"),
    text("USD"),
  ]);
  expect(cells.get("C7")).toBe("<v>0.00</v>");
});

it("what a spreadsheet would round is a text, and so is its total", async () => {
  const cells = await cellsOf(["NGN"], ["payment", "a", "1234567890123456.78", "1", null, null, "NGN"]);
  expect(cells.get("C2")).toBe(text("1234567890123456.78"));
  expect(cells.get("C3")).toBe(text("1234567890123456.78"));
});

it("texts are texts, whatever they look like or hold", async () => {
  const cells = await cellsOf(
    ["NGN"],
    ["payment", '=HYPERLINK("http://x")<&>\u0000\u202E\uD800', null, null, null, null, "NGN"],
  );
  expect(cells.get("B2")).toBe(text("=HYPERLINK(&quot;http://x&quot;)&lt;&amp;&gt;\uFFFD\uFFFD\uFFFD"));
});

it("prints across landscape pages, each with the header, in columns that hold an id", async () => {
  const { book, sheet } = await made(["NGN"], ["payment", "a", "1.00", "1", null, null, "NGN"]);
  expect(book).toContain('name="R&amp;D"');
  expect(book).toMatch(/name="_xlnm.Print_Titles" localSheetId="0">(&#39;|&apos;|')R&amp;D\1!\$1:\$1</);
  expect(sheet).toMatch(/<worksheet [^>]*><sheetPr><pageSetUpPr fitToPage="1"\/><\/sheetPr>/);
  expect(sheet).toMatch(/<pageSetup orientation="landscape" fitToWidth="1" fitToHeight="0"\/><\/worksheet>$/);
  const width = /<col min="2" max="2" width="(\d+)"/.exec(sheet)?.[1];
  expect(Number(width)).toBeGreaterThanOrEqual(36);
});
