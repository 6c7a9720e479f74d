import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  collectionRead,
  invoicePageRead,
  invoiceRead,
  parseExactJson,
} from "../../src/collection-api/contract/index.ts";

const ID = "0f3a1c52-9c1b-4a53-8f0e-6d2b7a4c9e10";
const INVOICE = { id: ID, status: "Paid", amount: 40400.1 };
const odd = fc.jsonValue({ maxDepth: 3 });

/** Everything but these may be anything at all. */
const fields = (schema: { shape: object }, ...needed: string[]) =>
  Object.keys(schema.shape).filter((name) => !needed.includes(name));

describe("an odd optional field never spoils an answer", () => {
  it("of an invoice: what has to be there is read, the rest is null where it is odd", () => {
    const optional = fields(invoiceRead.out, "id", "status", "amount");
    expect(optional.length).toBeGreaterThan(20);
    const values = fc.dictionary(fc.constantFrom(...optional), odd);
    fc.assert(
      fc.property(values, (given) => {
        const result = invoiceRead.safeParse(parseExactJson(JSON.stringify({ ...given, ...INVOICE })));
        expect(result.error?.issues).toBeUndefined();
        expect(result.data).toMatchObject({ id: ID, status: "Paid", amount: "40400.10" });
      }),
      { numRuns: 200 },
    );
  });

  it("of a collection", () => {
    const values = fc.dictionary(fc.constantFrom(...fields(collectionRead, "id")), odd);
    fc.assert(
      fc.property(values, (given) => {
        expect(collectionRead.safeParse({ ...given, id: ID }).error?.issues).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it("of a list and of its items", () => {
    const page = fc.dictionary(fc.constantFrom(...fields(invoicePageRead, "items")), odd);
    const names = ["title", "amount", "status", "payerName", "payerEmail", "dateCreated", "datePaid"];
    const item = fc.dictionary(fc.constantFrom(...names), odd);
    fc.assert(
      fc.property(page, fc.array(item, { maxLength: 3 }), (given, items) => {
        const data = { ...given, items: items.map((one) => ({ ...one, id: ID })) };
        expect(invoicePageRead.safeParse(data).error?.issues).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it("of a list: an item that is no object is named, the first one alone", () => {
    const problemsIn = (data: unknown) =>
      invoicePageRead
        .safeParse(data)
        .error?.issues.map(({ path, message }) => `${path.join(".")} ${message}`);
    expect(problemsIn({ items: [{ id: ID }, 0, [], null] })).toEqual(["items.1 should be an object"]);
    expect(problemsIn(parseExactJson('{"items":[1.50]}'))).toEqual(["items.0 should be an object"]);
    expect(problemsIn({ items: {} })).toEqual(["items should be a list"]);
    expect(problemsIn({})).toEqual(["items is missing"]);
  });

  it.each([
    ["title", {}, null],
    ["totalAmount", "1,500.00", null],
    ["paymentDate", { at: 1 }, null],
    ["billerMetaData", ["x"], {}],
    ["billerMetaData", { a: 1, b: { c: 2 } }, { a: "1", b: '{"c":2}' }],
    ["invoiceBeneficiaries", [{ linkedAccountId: ID }], null],
    ["invoiceBeneficiaries", "none", null],
    ["invoiceBeneficiaries", [{ linkedAccountId: ID, amount: 1 }, 0], null],
  ])("%s: %j is read as %j", (name, value, expected) => {
    expect(invoiceRead.parse({ ...INVOICE, [name]: value })).toMatchObject({ [name]: expected });
  });
});
