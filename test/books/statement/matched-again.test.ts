import { randomUUID } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { paymentsOf, settlementsOf } from "../../support/books-truth.ts";
import { booksWorld, decimal } from "../../support/books-world.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { rowsOf } from "../report/october.ts";

const OCTOBER = ["--from", "2026-10-01", "--to", "2026-10-31", "--source", "a"];

it("a statement matched again comes to the same, by the mapping that is remembered; none of its texts is kept", async () => {
  const { payments, run, around } = await booksWorld();
  const folder = await temporaryFolder();
  const file = join(folder, "october.csv");
  const [first, ...others] = settlementsOf(
    paymentsOf(payments, { source: "a", from: "2026-10-01", to: "2026-10-31" }),
  );
  if (first === undefined) throw new Error("no payments");
  const line = ({ day, id, amount }: typeof first) =>
    `${day.split("-").reverse().join("/")};NIP ${id} ADA OBI;${decimal(amount).replace(".", ",")};`;
  const lines = [
    "Value Date;Narration;Credit;Debit",
    ...others.map(line),
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
  expect(result).toMatchObject({
    ...{ source: "a", clean: false, before: null, remembered: false },
    mapping: {
      ...{ delimiter: ";", date: "Value Date", amount: "Credit", debit: "Debit" },
      ...{ decimal: ",", dateOrder: "DMY" },
    },
    left: [
      { state: "bank_only", difference: "1000.05" },
      { state: "books_only", sums: [{ invoiceId: first.id }] },
    ],
  });

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
  const matched = others.reduce((sum, { amount }) => sum + amount, 0n);
  expect(rows.at(-1)).toMatchObject({
    row: "total",
    bank_amount: `sum ${decimal(matched + 100005n)}`,
    settleable: `sum ${decimal(matched + first.amount)}`,
    difference: `sum ${decimal(100005n - first.amount)}`,
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
  const complete = [...lines.filter((one) => !one.includes("HYPERLINK")), line(first)];
  await writeFile(file, complete.join("\n"));
  expect(await json()).toMatchObject({ code: 0, result: { clean: true, left: [], before: null } });
  // A text that lines have to have is remembered, told each time, and forgotten when a person says so.
  const told = async (...words: string[]) => (await run("match", file, ...OCTOBER, ...words)).stdout;
  expect(await told("--only", "NIP")).toContain(', only lines with "NIP"; as remembered.');
  expect(await told()).toContain(', only lines with "NIP"; as remembered.');
  expect(await told("--only", "")).not.toContain("only lines with");
  expect(await told()).not.toContain("only lines with");
  expect((await run("match", "list")).stdout).toContain(result.id);
  expect((await run("match", "show", randomUUID())).code).toBe(3);
  expect(await readdir(folder)).toEqual(["october.csv", "report.csv"]);
});
