import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { count, refusedAt } from "./refused-at.ts";
import {
  ACCOUNT_A,
  ACCOUNT_B,
  DISABLED,
  FIXED_AMOUNT,
  INVOICE,
  NOBODY,
  OPEN_AMOUNT,
  SHARED,
  startTestService,
  type TestService,
} from "./service-fixture.ts";

const shares = (...amounts: unknown[]) =>
  amounts.map((amount, nth) => ({ linkedAccountId: nth === 0 ? ACCOUNT_A : ACCOUNT_B, amount }));

describe("bad input to Create Invoice is a clear 4xx with the field's name, and leaves nothing behind", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  it.each<[string, Record<string, unknown>, string, number]>([
    // One of those that test/collection-api/bad-input.test.ts holds for the request's schema, and each that only
    // the service can know.
    ["a NUL in a name", { payerName: "a\0b" }, "payerName", 400],
    ["__proto__ in metadata", { billerMetaData: JSON.parse('{"__proto__":"x"}') }, "billerMetaData", 400],
    ["an unknown collection", { collectionId: NOBODY }, "collectionId", 404],
    ["a disabled collection", { collectionId: DISABLED }, "collectionId", 403],
    ["null for an amount", { amount: null }, "amount", 400],
    ["no amount in a collection without one", { amount: undefined }, "amount", 400],
    ["an amount in a collection that has one", { collectionId: FIXED_AMOUNT }, "amount", 400],
    [
      "beneficiaries in a collection with accounts",
      { invoiceBeneficiaries: shares(1500.5) },
      "invoiceBeneficiaries",
      400,
    ],
    ["no beneficiaries in one without", { collectionId: SHARED }, "invoiceBeneficiaries", 400],
    [
      "an empty list of them",
      { collectionId: SHARED, invoiceBeneficiaries: [] },
      "invoiceBeneficiaries",
      400,
    ],
    [
      "shares below the amount",
      { collectionId: SHARED, invoiceBeneficiaries: shares(1000, 500.49) },
      "invoiceBeneficiaries",
      400,
    ],
    [
      "shares above the amount",
      { collectionId: SHARED, invoiceBeneficiaries: shares(1000, 500.51) },
      "invoiceBeneficiaries",
      400,
    ],
    [
      "a negative share",
      { collectionId: SHARED, invoiceBeneficiaries: shares(1600.5, -100) },
      "invoiceBeneficiaries[1].amount",
      400,
    ],
    [
      "a share of nobody",
      { collectionId: SHARED, invoiceBeneficiaries: [{ linkedAccountId: NOBODY, amount: 1500.5 }] },
      "invoiceBeneficiaries[0].linkedAccountId",
      400,
    ],
    [
      "an account named twice",
      {
        collectionId: SHARED,
        invoiceBeneficiaries: [
          { linkedAccountId: ACCOUNT_A, amount: 1000.5 },
          { linkedAccountId: ACCOUNT_A.toUpperCase(), amount: 500 },
        ],
      },
      "invoiceBeneficiaries[1].linkedAccountId",
      400,
    ],
  ])("Create Invoice: %s", async (_what, fields, field, status) => {
    const before = await count(service, "invoice");
    refusedAt(await service.api("POST", "/api/v1/invoices", { ...INVOICE, ...fields }), status, field);
    expect(await count(service, "invoice")).toBe(before);
  });

  it.each([
    ["nothing", "", 400, "The request"],
    ["no JSON", "{", 400, "body"],
    ["NaN", `{"amount": NaN}`, 400, "amount"],
    ["Infinity", `{"amount": -Infinity}`, 400, "amount"],
    ["a list", "[]", 400, "The request"],
    ["null", "null", 400, "The request"],
    ["a text", `"x"`, 400, "The request"],
    ["5,000 lists inside each other", "[".repeat(5_000) + "]".repeat(5_000), 400, "The request"],
    ["an amount twice", `{"amount":1,"title":"x","amount":2}`, 400, "amount is given more than once"],
    ["two keys that are one", `{"linked":{"a":1,"\\u0061":2}}`, 400, "a is given more than once"],
    ["a body of 300 KB", JSON.stringify({ ...INVOICE, title: "x".repeat(300_000) }), 413, "body"],
  ])("Create Invoice: a body that is %s", async (_what, body, status, field) => {
    const before = await count(service, "invoice");
    refusedAt(await service.api("POST", "/api/v1/invoices", body), status, field);
    expect(await count(service, "invoice")).toBe(before);
  });

  it("whatever JSON comes in whatever field, the answer is never a 5xx", async () => {
    const fields = [
      ...Object.keys(INVOICE),
      "callBackUrl",
      "invoiceBeneficiaries",
      "__proto__",
      "constructor",
    ];
    const body = fc.tuple(fc.constantFrom(...fields), fc.json({ maxDepth: 3 }));
    await fc.assert(
      fc.asyncProperty(body, async ([field, json]) => {
        const { [field]: _, ...others } = INVOICE as Record<string, unknown>;
        const text = JSON.stringify(others).replace(/}$/, `,${JSON.stringify(field)}:${json}}`);
        const reply = await service.api("POST", "/api/v1/invoices", text);
        expect([200, 400, 404], `${text} gave ${reply.text}`).toContain(reply.status);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    "emoji 🎓👩🏾‍🎓",
    "مرحبا بالعالم",
    "שלום \u202eעולם",
    "naïve Ünïcode 漢字",
    "Robert'); DROP TABLE invoice;--",
  ])("takes %s as it is", async (text) => {
    const id = await service.create({ title: text, payerName: text, billerMetaData: { [text]: text } });
    const { body } = await service.api("GET", `/api/v1/invoices/${id}`);
    expect(body.data).toMatchObject({ title: text, payerName: text, billerMetaData: { [text]: text } });
    const found = await service.api(
      "GET",
      `/api/v1/collections/${OPEN_AMOUNT}/invoices?search=${encodeURIComponent(text)}`,
    );
    expect(found.body.data.items.map((item: { id: string }) => item.id)).toEqual([id]);
  });

  it("keeps every digit of a large amount", async () => {
    const { text } = await service.api(
      "POST",
      "/api/v1/invoices",
      JSON.stringify(INVOICE).replace('"amount":1500.5', '"amount":9007199254740993.25'),
    );
    expect(text).toContain('"amount":9007199254740993.25');
  });
});
