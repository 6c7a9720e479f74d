import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { addPayments, type GivenPayment } from "../../test/operations/add-payments.ts";
import { runCli } from "../../test/support/cli-process.ts";
import { startHarness } from "../../test/support/relay.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

const run = promisify(execFile);

/** Has LibreOffice open a workbook and save it in another format. */
async function converted(file: string, format: string, filter?: string): Promise<string> {
  const folder = dirname(file);
  const words = ["--headless", `-env:UserInstallation=file://${join(folder, "profile")}`];
  const filters = filter === undefined ? [] : [`--infilter=${filter}`];
  await run("soffice", [...words, ...filters, "--convert-to", format, "--outdir", folder, file]);
  return await readFile(file.replace(/\w+$/, format.split(":")[0] ?? ""), "utf8");
}

/** What has to stay a text, whoever wrote it. */
const TEXTS = ["=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1+1", "\r=1+1", " =1+1", "\uFF1D1+1", "'=1+1"];

it("LibreOffice makes a formula of no text that others wrote, in CSV and XLSX", async () => {
  const harness = await startHarness();
  const payments = [...TEXTS, "=cmd|' /C calc'!A0"].map(
    (text, n): GivenPayment => ({
      ...{ amount: `${n + 1}.25`, payer: text, reference: text, collection: text, method: text },
      ...{ paidAt: "2026-10-10T12:00:00Z" },
    }),
  );
  await addPayments(harness.query, payments);
  const folder = await temporaryFolder();
  for (const report of ["payments", "days"])
    for (const kind of ["csv", "xlsx"]) {
      const file = join(folder, `${report}-${kind}.${kind}`);
      const words = ["report", report, "--from", "2026-10-01", "--to", "2026-10-31", "--out", file];
      await runCli(words, harness.environment({ COLLECTION_IDS: "none" }));
      // As by a double click, with the numbers and formulas that LibreOffice finds by itself.
      const filter = kind === "csv" ? "CSV:44,34,76,1,,0,false,true" : undefined;
      const sheet = await converted(file, "fods", filter);
      const formulas = [...sheet.matchAll(/table:formula="([^"]*)"/g)].map(([, formula]) => formula);
      expect(formulas).toEqual([]);
      expect(sheet).toContain("=1+1");
    }
});

it("LibreOffice reads every digit, dates as dates and formulas as texts", async () => {
  const harness = await startHarness();
  const payments = Array.from(
    { length: 1_000 },
    (_, n): GivenPayment => ({
      amount: `${12_345_678 * n}.${String(n % 100).padStart(2, "0")}`,
      serviceCharge: "0.1",
      vat: "0.2",
      reference: n === 500 ? '=HYPERLINK("http://evil.example")' : `order ${n} <&>`,
      paidAt: new Date(Date.UTC(2026, 9, 25, 0, 0, n * 10)).toISOString(),
      publishedAt: "2026-10-31T23:30:00Z",
    }),
  );
  await addPayments(harness.query, [
    ...payments,
    { amount: "12345678901234567.89", paidAt: "2026-10-26T00:00:00Z" },
  ]);
  const folder = await temporaryFolder();
  const file = join(folder, "payments.xlsx");
  const environment = harness.environment({ BOOKS_TIME_ZONE: "Europe/London", COLLECTION_IDS: "none" });

  const words = ["report", "payments", "--from", "2026-10-25", "--to", "2026-10-26", "--out", file];
  await runCli(words, environment);
  // Cells as they are kept and not as they are shown; of ours, none holds a comma.
  const text = await converted(file, "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false");
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => line.replaceAll('"', "").split(","));
  const [header = [], ...kept] = lines;
  const rows = kept.map((cells) => Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ""])));
  const large = rows.at(-1);
  // In London the clocks go back at 01:00 UTC: the day has 25 hours, and its second hour comes twice.
  expect([rows[0]?.paid, rows[360]?.paid]).toEqual(["2026-10-25 01:00:00", "2026-10-25 01:00:00"]);
  expect(rows.slice(0, 1_000).map(({ amount }) => Number(amount))).toEqual(
    payments.map(({ amount }) => Number(amount)),
  );
  expect(rows[500]?.reference).toBe("=HYPERLINK(http://evil.example)");
  expect(rows[1]?.reference).toBe("order 1 <&>");
  expect(rows[0]).toMatchObject({ published_at: "2026-10-31 23:30:00", day: "2026-10-25", currency: "NGN" });
  // More digits than a spreadsheet keeps: as text, which no sum changes silently.
  expect(large?.amount).toBe("12345678901234567.89");
});
