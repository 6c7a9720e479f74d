import { describe, expect, it } from "vitest";
import type { z } from "zod";
import {
  addLinkedAccountRequest,
  createInvoiceBody,
  createInvoiceRequest,
  idPath,
  invoiceFilter,
  invoiceWritten,
  operations,
  parseExactJson,
  problemsOf,
} from "../../src/collection-api/contract/index.ts";

const ID = "0f3a1c52-9c1b-4a53-8f0e-6d2b7a4c9e10";
const INVOICE = { collectionId: ID, title: "Dues", payerName: "Ada Obi", payerEmail: "ada@example.com" };

function problems(schema: z.ZodType, value: unknown): string[] {
  const result = schema.safeParse(value);
  return result.success ? [] : problemsOf(result.error);
}

describe("a request is refused with the field's name", () => {
  it.each<[string, object]>([
    ["collectionId", { collectionId: "not-a-uuid" }],
    ["collectionId", { collectionId: `${ID}\n` }],
    ["title", { title: undefined }],
    ["title", { title: "   " }],
    ["title", { title: 5 }],
    ["payerName", { payerName: "x".repeat(10_000) }],
    ["payerName", { payerName: "a\0b" }],
    ["payerName", { payerName: "half a character \ud83d" }],
    ...["nobody", "ada@localhost", "ada@obi@example.com", "ada..obi@example.com"].map(
      (payerEmail): [string, object] => ["payerEmail", { payerEmail }],
    ),
    ...["call me", "-----", "1234", "+1234567890123456"].map((payerPhoneNumber): [string, object] => [
      "payerPhoneNumber",
      { payerPhoneNumber },
    ]),
    ...["-1", 0, true, "99999999999999999999.00", "1e30", "1e999999999", "NaN"].map(
      (amount): [string, object] => ["amount", { amount }],
    ),
    ["amount", { amount: Number.NaN }],
    ["amount", { amount: 1e300 }],
    ["amount", { amount: "1.005" }],
    ["amount", { amount: [] }],
    ["callBackUrl", { callBackUrl: "javascript:alert(1)" }],
    ["callBackUrl", { callBackUrl: "/callbacks" }],
    ["callBackUrl", { callBackUrl: `https://example.com/${"x".repeat(3_000)}` }],
    ["billerMetaData", { billerMetaData: [] }],
    ["billerMetaData.house", { billerMetaData: { house: 1 } }],
    [
      "billerMetaData",
      { billerMetaData: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [n, "x"])) },
    ],
    ["invoiceBeneficiaries", { invoiceBeneficiaries: {} }],
    ["invoiceBeneficiaries[0]", { invoiceBeneficiaries: [null] }],
    ["invoiceBeneficiaries[0].amount", { invoiceBeneficiaries: [{ linkedAccountId: ID, amount: 0 }] }],
    [
      "invoiceBeneficiaries[0].linkedAccountId",
      { invoiceBeneficiaries: [{ linkedAccountId: 1, amount: 1 }] },
    ],
  ])("Create Invoice: %s in %j", (field, wrong) => {
    const found = problems(createInvoiceRequest, { ...INVOICE, ...wrong });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${field.replaceAll(/[[\].]/g, "\\$&")} (should|is missing)`));
  });

  it.each<[string, Record<string, unknown>]>([
    ["startDate", { startDate: "2024-02-30" }],
    ["startDate", { startDate: "2024-2-3" }],
    ["endDate", { endDate: "tomorrow" }],
    ["endDate", { startDate: "2024-03-02", endDate: "2024-03-01" }],
    ["page", { page: 0 }],
    ["page", { page: "0" }],
    ["page", { page: "1.5" }],
    ["page", { page: ["1", "2"] }],
    ["page", { page: "" }],
    ["pageSize", { pageSize: "1000000000" }],
    ["pageSize", { pageSize: 1e9 }],
    ["pageSize", { pageSize: -1 }],
    ["search", { search: "x".repeat(201) }],
    ["invoiceStatus", { invoiceStatus: ["Paid", "Unpaid"] }],
  ])("Get Collection Invoices: %s in %j", (field, query) => {
    const found = problems(invoiceFilter, query);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${field} should `));
  });

  it.each<[string, unknown]>([
    ["linkedAccount", {}],
    ["linkedAccount.bankId", { linkedAccount: { bankId: "011", accountNumber: "0123456789" } }],
    ["linkedAccount.bankId", { linkedAccount: { bankId: 1.5, accountNumber: "0123456789" } }],
    ["linkedAccount.bankId", { linkedAccount: { bankId: ID, accountNumber: "0123456789" } }],
    ["linkedAccount.accountNumber", { linkedAccount: { bankId: 1, accountNumber: 123456789 } }],
    ["linkedAccount.accountNumber", { linkedAccount: { bankId: 1, accountNumber: "12-34" } }],
    ["linkedAccount.isPrimary", { linkedAccount: { bankId: 1, accountNumber: "0123456789", isPrimary: 1 } }],
  ])("Add Linked Account: %s in %j", (field, body) => {
    const found = problems(addLinkedAccountRequest, body);
    expect(found).toHaveLength(1);
    expect(found[0]?.split(" ")[0]).toBe(field);
  });

  it.each([undefined, null, 5, "text", []])("a body that is %j", (body) => {
    expect(problems(createInvoiceRequest, body)).toEqual(["The request should be a JSON object"]);
  });

  it.each(["", "1", "../../admin", `${ID}/invalidate`, `${ID}%00`])("the id %j", (id) => {
    expect(problems(idPath, { id })).toEqual([expect.stringMatching(/^id should be a UUID/)]);
  });

  it("all at once", () => {
    expect(problems(createInvoiceRequest, { amount: -1 }).map((problem) => problem.split(" ")[0])).toEqual([
      "collectionId",
      "title",
      "payerName",
      "payerEmail",
      "amount",
    ]);
  });
});

describe("a request is taken", () => {
  it.each(["🏠 dues 👩‍👩‍👧", "رسوم العقار", "עברית ‏RTL", "Ngozi Òkónkwọ́", "D'Arcy <b>&amp;"])(
    "with the name %s, character by character",
    (payerName) => {
      expect(createInvoiceRequest.parse({ ...INVOICE, payerName }).payerName).toBe(payerName);
    },
  );

  it("with amounts as JSON numbers or text, which go out again as JSON numbers with all digits", () => {
    const sent = parseExactJson(
      JSON.stringify({ ...INVOICE, amount: "AMOUNT", billerMetaData: { amount: "1.10" } }).replace(
        '"AMOUNT"',
        "9007199254740993.25",
      ),
    );
    const given = createInvoiceRequest.parse(sent);
    expect(given.amount).toBe("9007199254740993.25");
    const body = JSON.stringify(createInvoiceBody(given));
    expect(body).toContain('"amount":9007199254740993.25');
    expect(body).toContain('"billerMetaData":{"amount":"1.10"}');
  });
});

describe("what the service writes is strict", () => {
  it("an amount as a float, an unknown status and a missing field are all refused", () => {
    const found = problems(invoiceWritten, { id: ID, amount: 1.5, status: "Odd" });
    expect(found.map((problem) => problem.split(" ")[0])).toEqual(
      expect.arrayContaining(["amount", "status", "title", "dateCreated"]),
    );
  });
});

describe("the table of operations", () => {
  it("holds the seven rows of the interface, part A", () => {
    const rows = Object.values(operations).map(({ method, path, status, envelopeStatus }) =>
      [method, path, status, envelopeStatus].join(" "),
    );
    expect(rows).toEqual([
      "GET /api/v1/collections/{id} 200 success",
      "GET /api/v1/collections/{id}/invoices 200 success",
      "POST /api/v1/invoices 200 200",
      "GET /api/v1/invoices/{id} 200 200",
      "POST /api/v1/invoices/{id}/invalidate 200 success",
      "POST /api/v1/linked-accounts 201 success",
      "GET /api/v1/banks 200 success",
    ]);
  });
});
