import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { booksWorld, FREQUENCIES, LISTS, type WorldPayment } from "../../support/books-world.ts";
import { rowsOf } from "../report/october.ts";

const OCTOBER = ["--from", "2026-10-01", "--to", "2026-10-31", "--source", "a"];

const cents = (amount: number) => Math.round(amount * 100);
const text = (hundredths: number) => (hundredths / 100).toFixed(2);

/** What the provider settles of source a in October, reckoned from its own data alone. */
function settlementsOf(payments: readonly WorldPayment[]) {
  const own = payments.filter(
    ({ source, type, collection, day }) =>
      source === "a" && type === "Live" && collection in LISTS && day.startsWith("2026-10"),
  );
  const sums = new Map<
    string,
    { day: string; collection: string; amount: number; id: string; count: number }
  >();
  for (const { id, day, collection, amount } of own) {
    const key = FREQUENCIES[collection] === "Instant" ? id : `${day} ${collection}`;
    const sum = sums.get(key) ?? { day, collection, amount: 0, id, count: 0 };
    sums.set(key, { ...sum, amount: sum.amount + cents(amount), count: sum.count + 1 });
  }
  return [...sums.values()].sort((one, other) => (one.day < other.day ? -1 : 1));
}

it("a match of three collections, two sources and zones is what the provider's own data come to (G10)", async () => {
  const { payments, run, around } = await booksWorld();
  const folder = await mkdtemp(join(tmpdir(), "match-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "october.csv");
  const sums = settlementsOf(payments);
  const [first, ...others] = sums;
  if (first === undefined) throw new Error("no payments");
  // All of it but the first, booked on the day itself, with what is no settlement and what nobody here knows.
  const lines = [
    "Value Date;Narration;Credit;Debit",
    ...others.map(
      ({ day, id, amount }) =>
        `${day.split("-").reverse().join("/")};NIP ${id} ADA OBI;${text(amount).replace(".", ",")};`,
    ),
    "13/10/2026;=HYPERLINK(0);1.000,05;",
    "14/10/2026;Charges;;10,00",
  ];
  await writeFile(file, `\uFEFF${lines.join("\r\n")}\r\n`);
  const json = async (...words: string[]) => {
    const done = await run("match", file, ...OCTOBER, ...words, "--json");
    return { ...done, result: done.stdout === "" ? null : JSON.parse(done.stdout) };
  };

  const { code, result, stderr } = await json();

  expect(stderr).toBe("");
  expect(code).toBe(1);
  const matched = others.reduce((sum, { amount }) => sum + amount, 0);
  expect(result).toMatchObject({
    source: "a",
    timeZone: "Europe/London",
    currency: "GBP",
    clean: false,
    before: null,
    remembered: false,
    mapping: {
      delimiter: ";",
      date: "Value Date",
      amount: "Credit",
      debit: "Debit",
      decimal: ",",
      dateOrder: "DMY",
    },
  });
  expect(result.figures).toEqual({
    states: [
      { state: "matched", ...side(others.length, matched), ...sumSide(others) },
      { state: "bank_only", ...side(1, 100005), ...sumSide([]) },
      { state: "books_only", ...side(0, 0), ...sumSide([first]) },
    ],
    others: { count: 1, amount: "-10.00" },
    undated: 0,
    outside: 0,
    withoutAmount: 0,
  });
  expect(result.left).toEqual([
    expect.objectContaining({ state: "bank_only", difference: "1000.05" }),
    expect.objectContaining({
      state: "books_only",
      sums: [expect.objectContaining({ invoiceId: first.id })],
    }),
  ]);

  // The same again is the same, and says so; the columns are remembered.
  const again = await json();
  expect(again.result).toMatchObject({
    remembered: true,
    resultSha256: result.resultSha256,
    before: { id: result.id, isSame: true },
  });

  // The report has every line and every sum once; its totals are both sides'.
  const report = join(folder, "report.csv");
  expect((await run("match", "show", result.id, "--out", report)).code).toBe(0);
  const rows = rowsOf(await readFile(report, "utf8"));
  expect(rows.filter(({ row }) => row === "match")).toHaveLength(others.length + 2);
  expect(rows.at(-1)).toMatchObject({
    row: "total",
    bank_amount: `sum ${text(matched + 100005)}`,
    settleable: `sum ${text(matched + first.amount)}`,
    difference: `sum ${text(100005 - first.amount)}`,
  });

  // Nothing of the bank's words is kept, and each match is in the audit log.
  const kept = await around.query(
    "select item::text from statement_match_item union all select m::text from statement_match m",
  );
  expect(JSON.stringify(kept)).not.toMatch(/ADA OBI|HYPERLINK/);
  const audited = await around.query(
    "select detail::text as detail from audit_entry where action = 'statement.match'",
  );
  expect(audited).toHaveLength(2);
  expect(JSON.stringify(audited)).not.toContain("ADA");

  // With the missing line and without the unknown one, nothing is left over.
  const complete = [
    ...lines.filter((line) => !line.includes("HYPERLINK")),
    `${first.day.split("-").reverse().join("/")};NIP ${first.id};${text(first.amount).replace(".", ",")};`,
  ];
  await writeFile(file, complete.join("\n"));
  expect(await json()).toMatchObject({ code: 0, result: { clean: true, left: [], before: null } });
  expect((await run("match", "list")).stdout).toContain(result.id);
  expect((await run("match", "show", randomUUID())).code).toBe(3);
  expect(await readdir(folder)).toEqual(["october.csv", "report.csv"]);
});

const side = (lines: number, amount: number) => ({ lines, lineAmount: text(amount) });
const sumSide = (sums: readonly { amount: number; count: number }[]) => ({
  sums: sums.length,
  payments: sums.reduce((all, { count }) => all + count, 0),
  sumAmount: text(sums.reduce((all, { amount }) => all + amount, 0)),
});
