import { expect, it } from "vitest";
import { findInvoices } from "../../src/operations/find.ts";
import { runCli } from "../support/cli-process.ts";
import { addInvoice, withDatabase } from "../support/log-rows.ts";

it("invoice names the invoices of one reference instead of choosing", async () => {
  const { harness } = await withDatabase();
  const ids = await Promise.all([1, 2].map(() => addInvoice(harness, { reference: "order-7" })));
  const { code, stderr } = await runCli(["invoice", "order-7"], harness.environment());
  expect(code).toBe(2);
  for (const id of ids) expect(stderr).toContain(id);
});

it("a search by the payer's name finds letters beyond ASCII in either case, however composed", async () => {
  const { harness, db } = await withDatabase();
  const names = [
    "ADÉBÁYÒ 100%_Ọlá",
    "Ade\u0301ba\u0301yo\u0300 100%_O\u0323LA\u0301",
    "Adebayo 1000_Ola",
    "STRASSE İpek",
  ];
  for (const payerName of names) await addInvoice(harness, { document: JSON.stringify({ payerName }) });
  const found: number[] = [];
  for (const payer of ["adébáyò", "ọLÁ ADE\u0301", "0%_", "0_", "ADEBAYO", "straße", "İPEK strasse"])
    found.push((await findInvoices(db, { payer }, { from: null, limit: 10 })).items.length);
  expect(found).toEqual([2, 2, 2, 1, 1, 0, 1]);
});
