import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { problemsOf } from "../../../src/platform/validation/fields.ts";
import {
  addLinkedAccountRequest,
  createInvoiceRequest,
  idPath,
  invoiceFilter,
  invoiceWritten,
} from "../../../src/provider/collection-api/contract/index.ts";

const ID = "0f3a1c52-9c1b-4a53-8f0e-6d2b7a4c9e10";
const INVOICE = { collectionId: ID, title: "Dues", payerName: "Ada Obi", payerEmail: "ada@example.com" };

/** The names of the fields that are wrong. */
function wrongIn(schema: z.ZodType, value: unknown): (string | undefined)[] {
  const result = schema.safeParse(value);
  return result.success ? [] : problemsOf(result.error).map((problem) => problem.split(" ")[0]);
}

const tooMany = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [n, "x"]));

describe("a request is refused with the field's name", () => {
  it.each<[named: string, field: string, wrong: unknown[]]>([
    ["collectionId", "collectionId", ["not-a-uuid", `${ID}\n`]],
    ["title", "title", ["   "]],
    ["payerName", "payerName", ["x".repeat(10_000), "a\0b", "half a character \ud83d"]],
    ["payerEmail", "payerEmail", ["nobody", "ada@localhost", "ada@obi@example.com", "ada..obi@example.com"]],
    ["payerPhoneNumber", "payerPhoneNumber", ["call me", "-----", "1234", "+1234567890123456"]],
    ["amount", "amount", ["-1", 0, true, "99999999999999999999.00", "1e30", "1e999999999", "NaN", "1.005"]],
    [
      "callBackUrl",
      "callBackUrl",
      ["javascript:alert(1)", "/callbacks", `https://x.ng/${"x".repeat(3_000)}`],
    ],
    ["billerMetaData", "billerMetaData", [[], tooMany]],
    ["billerMetaData.house", "billerMetaData", [{ house: 1 }]],
    ["invoiceBeneficiaries[0].amount", "invoiceBeneficiaries", [[{ linkedAccountId: ID, amount: 0 }]]],
  ])("Create Invoice: %s", (named, field, wrong) => {
    for (const value of wrong)
      expect(wrongIn(createInvoiceRequest, { ...INVOICE, [field]: value }), `${value}`).toEqual([named]);
  });

  it.each<[field: string, wrong: unknown[]]>([
    ["startDate", ["2024-02-30", "2024-2-3", "0000-01-01"]],
    ["endDate", ["tomorrow", "2024-02-29"]],
    ["page", [0, "1.5", ["1", "2"], ""]],
    ["pageSize", ["1000000000", 1e9, -1]],
    ["search", ["x".repeat(201)]],
    ["invoiceStatus", [["Paid", "Unpaid"]]],
  ])("Get Collection Invoices: %s", (field, wrong) => {
    for (const value of wrong)
      expect(wrongIn(invoiceFilter, { startDate: "2024-03-01", [field]: value }), `${value}`).toEqual([
        field,
      ]);
  });

  it.each<[field: string, wrong: unknown[]]>([
    ["bankId", [undefined, "011", 1.5, ID]],
    ["accountNumber", [undefined, 123456789, "12-34"]],
    ["isPrimary", [1]],
  ])("Add Linked Account: %s", (field, wrong) => {
    const linkedAccount = { bankId: 1, accountNumber: "0123456789" };
    const wrongOf = (value: unknown) => ({ linkedAccount: { ...linkedAccount, [field]: value } });
    for (const value of wrong)
      expect(wrongIn(addLinkedAccountRequest, wrongOf(value))).toEqual([`linkedAccount.${field}`]);
  });

  it.each(["", "1", "../../admin", `${ID}/invalidate`, `${ID}%00`])("the id %j", (id) => {
    expect(wrongIn(idPath, { id })).toEqual(["id"]);
  });
  it("and what the service writes is held as strictly", () => {
    const found = wrongIn(invoiceWritten, { id: ID, amount: 1.5, status: "Odd" });
    expect(found).toEqual(expect.arrayContaining(["amount", "status", "title", "dateCreated"]));
  });
});

it("a request is taken with any name, character by character", () => {
  for (const payerName of ["🏠 dues 👩‍👩‍👧", "رسوم العقار", "עברית ‏RTL", "Ngozi Òkónkwọ́", "D'Arcy <b>&amp;"])
    expect(createInvoiceRequest.parse({ ...INVOICE, payerName }).payerName).toBe(payerName);
});
