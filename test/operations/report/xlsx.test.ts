import { expect, it } from "vitest";
import { type Cell, type SheetColumn, type SheetRow, Totals } from "../../../src/operations/report/sheet.ts";
import { xlsxParts } from "../../../src/operations/report/sheet-file.ts";
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

const payment = (id: string, amount: string, rest: { currency?: string; day?: string; at?: string } = {}) => [
  ...["payment", id, amount, "2"],
  ...[rest.day ?? null, rest.at ?? null, rest.currency ?? "NGN"],
];

async function* rowsOf(rows: readonly (readonly Cell[])[]): AsyncGenerator<SheetRow> {
  for (const cells of rows) yield { currency: cells.at(-1) ?? "", cells };
}

/** The XML of workbook and sheet, and the cells of the sheet as their XML, by their names. */
async function made(currencies: string[], ...rows: (readonly Cell[])[]) {
  const given = { name: "R&D", columns: COLUMNS, currencies, rows: rowsOf(rows) };
  const parts: Buffer[] = [];
  for await (const part of xlsxParts(given, new Totals(given), new Date())) parts.push(Buffer.from(part));
  const files = readZip(Buffer.concat(parts));
  const sheet = String(files.get("xl/worksheets/sheet1.xml"));
  const cells = sheet.matchAll(/<c r="([A-Z]+\d+)"[^>]*>(.*?)<\/c>/g);
  return {
    ...{ book: String(files.get("xl/workbook.xml")), sheet },
    cells: Object.fromEntries([...cells].map(([, name, cell]) => [name, cell])),
  };
}

const text = (value: string) => `<is><t xml:space="preserve">${value}</t></is>`;

it("numbers, days and times are numbers, and every digit is in the file", async () => {
  const { cells } = await made(
    ["NGN"],
    payment("a", "-1234567890123.45", { day: "2026-10-31", at: "2026-10-31 12:00:00" }),
    payment("b", "0.1000", { day: "1899-12-31" }),
  );
  expect(cells).toMatchObject({
    ...{ A1: text("row"), C2: "<v>-1234567890123.45</v>", D2: "<v>2</v>", E2: "<v>46326</v>" },
    // Spreadsheets do not agree on the days of then.
    ...{ F2: "<v>46326.5</v>", C3: "<v>0.1000</v>", E3: text("1899-12-31") },
  });
  expect(cells).not.toHaveProperty("F3");
});

it("the total of each currency is a formula over its own rows, with what it comes to", async () => {
  const { cells } = await made(
    ["GBP", "NGN", "USD"],
    payment("a", "0.10", { currency: "GBP" }),
    payment("b", "0.20", { currency: "GBP" }),
    payment("c", "5"),
  );
  expect(cells).toMatchObject({
    A5: text("total"),
    B5: "<f>SUBTOTAL(103,B2:B3)</f><v>2</v>",
    C5: "<f>SUBTOTAL(109,C2:C3)</f><v>0.30</v>",
    D5: "<f>SUBTOTAL(109,D2:D3)</f><v>4</v>",
    C6: "<f>SUBTOTAL(109,C4:C4)</f><v>5.00</v>",
    C7: "<v>0.00</v>",
    ...{ G5: text("GBP"), G6: text("NGN"), G7: text("USD") },
  });
});

it("what a spreadsheet would round is a text, as is its total; texts are texts, whatever they look like or hold", async () => {
  const odd = '=HYPERLINK("http://x")<&>\u0000\u202E\uD800';
  const { cells } = await made(["NGN"], payment(odd, "1234567890123456.78"));
  expect(cells).toMatchObject({
    B2: text("=HYPERLINK(&quot;http://x&quot;)&lt;&amp;&gt;\uFFFD\uFFFD\uFFFD"),
    ...{ C2: text("1234567890123456.78"), C3: text("1234567890123456.78") },
  });
});

it("prints across landscape pages, each with the header, in columns that hold an id", async () => {
  const { book, sheet } = await made(["NGN"], payment("a", "1.00"));
  expect(book).toContain('name="R&amp;D"');
  expect(book).toMatch(/name="_xlnm.Print_Titles" localSheetId="0">(&#39;|&apos;|')R&amp;D\1!\$1:\$1</);
  expect(sheet).toMatch(/<worksheet [^>]*><sheetPr><pageSetUpPr fitToPage="1"\/><\/sheetPr>/);
  expect(sheet).toMatch(/<pageSetup orientation="landscape" fitToWidth="1" fitToHeight="0"\/><\/worksheet>$/);
  const width = /<col min="2" max="2" width="(\d+)"/.exec(sheet)?.[1];
  expect(Number(width)).toBeGreaterThanOrEqual(36);
});
