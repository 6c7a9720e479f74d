import { readdir, readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { ADMIN_TOKENS, adminApi, OPERATOR, READER } from "../../support/admin.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { addPayments } from "../add-payments.ts";
import { books, OCTOBER, PAYMENTS, rowsOf } from "./october.ts";

describe("the file of a report", () => {
  it("writes a file by the format of its name, or none", async () => {
    const { report } = await books();
    const folder = await temporaryFolder();

    const csv = await report(`payments ${OCTOBER} --out ${folder}/october.csv --json`);
    const xlsx = await report(`payments ${OCTOBER} --out ${folder}/october.xlsx`);

    expect(JSON.parse(csv.stdout)).toMatchObject({
      file: `${folder}/october.csv`,
      rows: 3,
      totals: [{ currency: "NGN", rows: 3, amount: "10000000040402.09", vat: "7.50" }],
    });
    expect(xlsx).toMatchObject({ code: 0, stdout: "" });
    expect((await readFile(`${folder}/october.xlsx`)).subarray(0, 2).toString()).toBe("PK");
    expect((await readdir(folder)).sort()).toEqual(["october.csv", "october.xlsx"]);
  });

  it("a period without payments has a total of zero", async () => {
    const { code, stdout } = await (await books([])).report(`payments ${OCTOBER}`);
    expect(code).toBe(0);
    expect(rowsOf(stdout)).toMatchObject([{ row: "total", amount: "sum 0.00", invoice_id: "count 0" }]);
  });

  // What is refused, and why: test/cli/golden/refusals.txt.
  it("leaves an older file as it is where the report is refused", async () => {
    const { report } = await books([]);
    const folder = await temporaryFolder();
    await writeFile(`${folder}/old.csv`, "old");
    expect((await report(`payments ${OCTOBER} --source nowhere --out ${folder}/old.csv`)).code).toBe(3);
    expect((await report(`payments ${OCTOBER} --format xlsx --out ${folder}/old.csv`)).code).toBe(2);
    expect(await readFile(`${folder}/old.csv`, "utf8")).toBe("old");
    expect(await readdir(folder)).toEqual(["old.csv"]);
  });
});

it("GET /reports/{report} sends the same file; who paid is for operators", async () => {
  const api = await adminApi({ COLLECTION_IDS: "none", ADMIN_TOKENS });
  await addPayments(api.harness.query, PAYMENTS);
  const path = "/reports/payments?from=2026-10-01&to=2026-10-31";

  const forReader = await api.call("GET", path, undefined, READER);
  const forOperator = await api.call("GET", path, undefined, OPERATOR);
  const workbook = await api.call("GET", `${path}&format=xlsx`, undefined, READER);
  const inverted = await api.call("GET", "/reports/payments?from=2026-10-02&to=2026-10-01");

  expect(forReader.headers.get("content-type")).toMatch(/^text\/csv/);
  expect(forReader.headers.get("content-disposition")).toBe(
    "attachment; filename=payments-2026-10-01-2026-10-31.csv",
  );
  expect(rowsOf(forReader.body).map(({ payer }) => payer)).toEqual(["***", "***", "***", ""]);
  expect(rowsOf(forOperator.body)[0]?.payer).toBe("Ada Obi");
  expect(workbook.headers.get("content-type")).toMatch(/spreadsheetml/);
  expect(workbook.body.slice(0, 2)).toBe("PK");
  expect(inverted).toMatchObject({ status: 400, body: { code: "usage" } });
});
