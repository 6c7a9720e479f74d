import { expect, it } from "vitest";
import type { Cell, SheetColumn } from "../../../src/operations/report/sheet.ts";
import { xlsxParts } from "../../../src/operations/report/sheet-file.ts";
import { readZip } from "../read-zip.ts";

const COLUMNS: SheetColumn[] = [
  { name: "row", kind: "text" },
  { name: "id", kind: "id" },
  { name: "amount", kind: "money" },
  { name: "payments", kind: "count" },
  { name: "day", kind: "day" },
  { name: "at", kind: "time" },
  { name: "currency", kind: "text" },
];

const payment = (id: string, amount: string, rest: { currency?: string; day?: string; at?: string } = {}) => [
  ...["payment", id, amount, "2"],
  ...[rest.day ?? null, rest.at ?? null, rest.currency ?? "NGN"],
];

async function* rowsOf(rows: readonly (readonly Cell[])[]): AsyncGenerator<readonly Cell[]> {
  yield* rows;
}

/** The XML of workbook and sheet, and the cells of the sheet as their XML, by their names. */
async function made(...rows: (readonly Cell[])[]) {
  const given = { name: "R&D", columns: COLUMNS, rows: rowsOf(rows) };
  const parts: Buffer[] = [];
  for await (const part of xlsxParts(given, new Date())) parts.push(Buffer.from(part));
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

it("what a spreadsheet would round is a text; texts are texts, whatever they look like or hold", async () => {
  const odd = '=HYPERLINK("http://x")<&>\u0000\u202E\uD800';
  const { cells } = await made(payment(odd, "1234567890123456.78"));
  expect(cells).toMatchObject({
    B2: text("=HYPERLINK(&quot;http://x&quot;)&lt;&amp;&gt;\uFFFD\uFFFD\uFFFD"),
    C2: text("1234567890123456.78"),
  });
});
