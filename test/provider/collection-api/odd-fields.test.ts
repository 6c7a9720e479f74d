import fc from "fast-check";
import { expect, it } from "vitest";
import {
  collectionRead,
  invoicePageRead,
  invoiceRead,
  parseExactJson,
} from "../../../src/provider/collection-api/contract/index.ts";

const ID = "0f3a1c52-9c1b-4a53-8f0e-6d2b7a4c9e10";
const INVOICE = { id: ID, status: "Paid", amount: 40400.1 };

/** Any JSON in any of these fields. */
const odd = (fields: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...fields), fc.jsonValue({ maxDepth: 3 }));
const namesIn = (schema: { shape: object }) => Object.keys(schema.shape);
const listed = odd(["title", "amount", "status", "payerName", "payerEmail", "dateCreated", "datePaid"]);

// Everything but what is needed may be anything at all.
it.each<[string, { safeParse: (value: unknown) => { data?: unknown } }, fc.Arbitrary<object>, object]>([
  ["an invoice", invoiceRead, odd(namesIn(invoiceRead.out)), INVOICE],
  ["a collection", collectionRead, odd(namesIn(collectionRead)), { id: ID }],
  ["a list", invoicePageRead, odd(namesIn(invoicePageRead)), { items: [] }],
  ["a list's item", invoicePageRead, listed.map((one) => ({ items: [{ ...one, id: ID }] })), {}],
])("an odd optional field never spoils the answer about %s", (_, schema, values, needed) => {
  fc.assert(
    fc.property(values, (given) => {
      const text = JSON.stringify({ ...given, ...needed });
      expect(schema.safeParse(parseExactJson(text)).data).toBeDefined();
    }),
    { numRuns: 200 },
  );
});

it.each([
  ["id", undefined],
  ["status", null],
  ["amount", ""],
  ["amount", "1,500.00"],
])("an invoice is not read with the %s %j", (name, value) => {
  expect(invoiceRead.safeParse({ ...INVOICE, [name]: value }).error?.issues).toMatchObject([
    { path: [name] },
  ]);
});

it.each<[unknown, path: PropertyKey[]]>([
  [{ items: [{ id: ID }, 0, [], null] }, ["items", 1]],
  [{ items: {} }, ["items"]],
])("a list is not read with items that are no objects, and the first is named: %j", (data, path) => {
  expect(invoicePageRead.safeParse(data).error?.issues).toMatchObject([{ path }]);
});

it.each([
  ["totalAmount", "1,500.00", null],
  ["paymentDate", { at: 1 }, null],
  ["billerMetaData", ["x"], {}],
  ["billerMetaData", { a: 1, b: { c: 2 } }, { a: "1", b: '{"c":2}' }],
  ["invoiceBeneficiaries", [{ linkedAccountId: ID, amount: 1 }, 0], null],
])("%s: %j is read as %j", (name, value, expected) => {
  expect(invoiceRead.parse({ ...INVOICE, [name]: value })).toMatchObject({ [name]: expected });
});
