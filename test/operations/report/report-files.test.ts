import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { ADMIN_TOKENS, adminApi, OPERATOR, READER } from "../../support/admin.ts";
import { rowsOf } from "../../support/csv-rows.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { addPayments } from "../add-payments.ts";
import { books, OCTOBER, PAYMENTS } from "./october.ts";

it("a report is written as the format of its file's name; refused, it leaves an older file as it is", async () => {
  const { report } = await books();
  const folder = await temporaryFolder();
  const csv = await report(`payments ${OCTOBER} --out ${folder}/october.csv --json`);
  expect(JSON.parse(csv.stdout)).toMatchObject({
    file: `${folder}/october.csv`,
    rows: 3,
  });
  const xlsx = await report(`payments ${OCTOBER} --out ${folder}/october.xlsx`);
  expect(xlsx).toMatchObject({ code: 0, stdout: "" });
  const written = await readFile(`${folder}/october.xlsx`);
  expect(written.subarray(0, 2).toString()).toBe("PK");

  // What is refused, and why: test/interfaces/cli/golden/refusals.txt.
  for (const [code, refused] of [
    [3, "--source nowhere"],
    [2, "--format csv"],
  ] as const)
    expect((await report(`payments ${OCTOBER} ${refused} --out ${folder}/october.xlsx`)).code).toBe(code);
  expect(await readFile(`${folder}/october.xlsx`)).toEqual(written);
  expect((await readdir(folder)).sort()).toEqual(["october.csv", "october.xlsx"]);
});

it("GET /reports/{report} sends the same file; who paid is for operators", async () => {
  const api = await adminApi({ COLLECTION_IDS: "none", ADMIN_TOKENS });
  await addPayments(api.harness.query, PAYMENTS);
  const path = "/reports/payments?from=2026-10-01&to=2026-10-31";

  const forReader = await api.call("GET", path, undefined, READER);
  const forOperator = await api.call("GET", path, undefined, OPERATOR);
  const workbook = await api.call("GET", `${path}&format=xlsx`, undefined, READER);

  expect(forReader.headers.get("content-type")).toMatch(/^text\/csv/);
  expect(forReader.headers.get("content-disposition")).toBe(
    "attachment; filename=payments-2026-10-01-2026-10-31.csv",
  );
  expect(rowsOf(forReader.body).map(({ payer }) => payer)).toEqual(["***", "***", "***"]);
  expect(rowsOf(forOperator.body)[0]?.payer).toBe("Ada Obi");
  expect(workbook.headers.get("content-type")).toMatch(/spreadsheetml/);
});
