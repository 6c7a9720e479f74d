import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ACCOUNT_A,
  ACCOUNT_B,
  DISABLED,
  FIXED_AMOUNT,
  INVOICE,
  LIVE_KEY,
  NOBODY,
  OPEN_AMOUNT,
  SHARED,
  startTestService,
  type TestService,
} from "./service-fixture.ts";

const shares = (...amounts: unknown[]) =>
  amounts.map((amount, nth) => ({ linkedAccountId: nth === 0 ? ACCOUNT_A : ACCOUNT_B, amount }));

describe("bad input is a clear 4xx with the field's name, and leaves nothing behind", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  const count = async (table: "invoice" | "linked_account" | "delivery"): Promise<number> => {
    const client = new pg.Client({ connectionString: service.database.url });
    await client.connect();
    const { rows } = await client.query(`select count(*)::int as count from collection_service.${table}`);
    await client.end();
    return rows[0].count;
  };

  const refusedAt = (
    reply: { status: number; body: unknown; text: string },
    status: number,
    field: string,
  ) => {
    expect(reply.status, reply.text).toBe(status);
    expect(reply.body).toEqual({
      status,
      message: expect.any(String),
      type: expect.stringMatching(/^[A-Z_]+$/),
      errors: expect.any(Array),
    });
    expect((reply.body as { errors: string[] }).errors.join("\n")).toContain(field);
  };

  it.each<[string, Record<string, unknown>, string, number]>([
    ["no collection", { collectionId: undefined }, "collectionId", 400],
    ["a malformed collection id", { collectionId: "12" }, "collectionId", 400],
    ["an unknown collection", { collectionId: NOBODY }, "collectionId", 404],
    ["a disabled collection", { collectionId: DISABLED }, "collectionId", 403],
    ["no title", { title: "" }, "title", 400],
    ["a title of blanks", { title: " \t " }, "title", 400],
    ["a number for a title", { title: 7 }, "title", 400],
    ["a 10,000-character name", { payerName: "n".repeat(10_000) }, "payerName", 400],
    ["a NUL in a name", { payerName: "a\0b" }, "payerName", 400],
    ["half of an emoji", { payerName: "\ud83d" }, "payerName", 400],
    ["no address at all", { payerEmail: "nobody" }, "payerEmail", 400],
    ["letters for a phone number", { payerPhoneNumber: "call me" }, "payerPhoneNumber", 400],
    ["no amount in a collection without one", { amount: undefined }, "amount", 400],
    ["null for an amount", { amount: null }, "amount", 400],
    ["an amount in a collection that has one", { collectionId: FIXED_AMOUNT }, "amount", 400],
    ["a negative amount", { amount: -1 }, "amount", 400],
    ["nothing to pay", { amount: 0 }, "amount", 400],
    ["three decimals", { amount: 1.005 }, "amount", 400],
    ["an amount beyond all money", { amount: "99999999999999999999.00" }, "amount", 400],
    ["an amount as a power", { amount: "1e30" }, "amount", 400],
    ["a power without end", { amount: "1e999999999" }, "amount", 400],
    ["NaN as text", { amount: "NaN" }, "amount", 400],
    ["a list for an amount", { amount: [1] }, "amount", 400],
    ["true for an amount", { amount: true }, "amount", 400],
    ["a script for a callback address", { callBackUrl: "javascript:alert(1)" }, "callBackUrl", 400],
    ["a callback address without a host", { callBackUrl: "/callbacks" }, "callBackUrl", 400],
    ["a list as metadata", { billerMetaData: ["x"] }, "billerMetaData", 400],
    ["numbers in metadata", { billerMetaData: { x: 1 } }, "billerMetaData", 400],
    ["a NUL in a name in metadata", { billerMetaData: { "a\0b": "x" } }, "billerMetaData", 400],
    ["half of an emoji in one", { billerMetaData: { "\ud83d": "x" } }, "billerMetaData", 400],
    ["__proto__ in metadata", { billerMetaData: JSON.parse('{"__proto__":"x"}') }, "billerMetaData", 400],
    ["an address without a domain", { payerEmail: "ada@localhost" }, "payerEmail", 400],
    ["an address with two signs", { payerEmail: "ada@obi@example.com" }, "payerEmail", 400],
    ["an address with dots in a row", { payerEmail: "ada..obi@example.com" }, "payerEmail", 400],
    ["dashes for a phone number", { payerPhoneNumber: "-----" }, "payerPhoneNumber", 400],
    ["four digits for one", { payerPhoneNumber: "1234" }, "payerPhoneNumber", 400],
    ["sixteen digits for one", { payerPhoneNumber: "+1234567890123456" }, "payerPhoneNumber", 400],
    [
      "a map for beneficiaries",
      { collectionId: SHARED, invoiceBeneficiaries: {} },
      "invoiceBeneficiaries",
      400,
    ],
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
    const before = await count("invoice");
    refusedAt(await service.api("POST", "/api/v1/invoices", { ...INVOICE, ...fields }), status, field);
    expect(await count("invoice")).toBe(before);
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
    const before = await count("invoice");
    refusedAt(await service.api("POST", "/api/v1/invoices", body), status, field);
    expect(await count("invoice")).toBe(before);
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

  it("names every problem at once", async () => {
    const { body } = await service.api("POST", "/api/v1/invoices", { collectionId: "x", amount: -1 });
    const named = (body.errors as string[]).map((error) => error.split(" ")[0]);
    expect(named).toEqual(
      expect.arrayContaining(["collectionId", "title", "payerName", "payerEmail", "amount"]),
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

  it.each([
    ["GET", "/api/v1/invoices/12", 400, "id"],
    ["GET", "/api/v1/invoices/%00", 400, "id"],
    ["GET", "/api/v1/invoices/%E0%A4%A", 400, "id"],
    ["GET", `/api/v1/invoices/${NOBODY}`, 404, "id"],
    ["POST", "/api/v1/invoices/12/invalidate", 400, "id"],
    ["POST", `/api/v1/invoices/${NOBODY}/invalidate`, 404, "id"],
    ["GET", "/api/v1/collections/12", 400, "id"],
    ["GET", `/api/v1/collections/${NOBODY}`, 404, "id"],
    ["GET", `/api/v1/collections/${NOBODY}/invoices`, 404, "id"],
    ["GET", "/api/v1/collections/12/invoices", 400, "id"],
  ])("%s %s", async (method, path, status, field) => {
    refusedAt(await service.api(method, path), status, field);
  });

  it.each([
    ["page=0", "page"],
    ["page=-1", "page"],
    ["page=1.5", "page"],
    ["page=abc", "page"],
    ["page=1e3", "page"],
    ["page=99999999999999999999", "page"],
    ["page=1&page=2", "page"],
    ["pageSize=0", "pageSize"],
    ["pageSize=1000000000", "pageSize"],
    ["startDate=2024-02-30", "startDate"],
    ["startDate=2024-13-01", "startDate"],
    ["startDate=yesterday", "startDate"],
    ["endDate=01/02/2024", "endDate"],
    ["startDate=2024-03-02&endDate=2024-03-01", "endDate"],
    ["invoiceStatus=Lost", "invoiceStatus"],
    ["invoiceType=Real", "invoiceType"],
    [`search=${"x".repeat(1_000)}`, "search"],
    ["search=%00", "search"],
  ])("Get Collection Invoices?%s", async (query, field) => {
    refusedAt(await service.api("GET", `/api/v1/collections/${OPEN_AMOUNT}/invoices?${query}`), 400, field);
  });

  it.each([
    "startDate=0000-01-01",
    "endDate=9999-12-31",
    "startDate=0001-01-01&endDate=9999-12-31",
    "page=1000000&pageSize=1000",
  ])("Get Collection Invoices?%s is odd, but no error", async (query) => {
    const reply = await service.api("GET", `/api/v1/collections/${OPEN_AMOUNT}/invoices?${query}`);
    expect(reply.status, reply.text).toBe(200);
  });

  it.each<[string, unknown, string]>([
    ["a clearing code", { bankId: "044", accountNumber: "1111111111", isPrimary: false }, "bankId"],
    [
      "a bank's UUID",
      { bankId: "2f0d7c1e-6b0a-4a41-9c52-0b5f1c6d7e01", accountNumber: "1111111111" },
      "bankId",
    ],
    ["half a bank", { bankId: 1.5, accountNumber: "1111111111" }, "bankId"],
    ["an unknown bank", { bankId: 999, accountNumber: "1111111111" }, "bankId"],
    ["a huge bank", { bankId: 2 ** 40, accountNumber: "1111111111" }, "bankId"],
    ["no account number", { bankId: 1 }, "accountNumber"],
    ["letters for an account number", { bankId: 1, accountNumber: "12345abcde" }, "accountNumber"],
    ["a linked account number", { bankId: 1, accountNumber: "0123456789" }, "accountNumber"],
    ["isPrimary as text", { bankId: 1, accountNumber: "1111111111", isPrimary: "yes" }, "isPrimary"],
    ["no linkedAccount", undefined, "linkedAccount"],
  ])("Add Linked Account: %s", async (_what, linkedAccount, field) => {
    const before = await count("linked_account");
    refusedAt(await service.api("POST", "/api/v1/linked-accounts", { linkedAccount }), 400, field);
    expect(await count("linked_account")).toBe(before);
  });

  it.each([null, "", "wrong", `${LIVE_KEY}x`, LIVE_KEY.toUpperCase()])(
    "the key %s is refused with 401 everywhere",
    async (key) => {
      for (const [method, path] of [
        ["GET", `/api/v1/collections/${OPEN_AMOUNT}`],
        ["GET", `/api/v1/collections/${OPEN_AMOUNT}/invoices`],
        ["POST", "/api/v1/invoices"],
        ["GET", `/api/v1/invoices/${NOBODY}`],
        ["POST", `/api/v1/invoices/${NOBODY}/invalidate`],
        ["POST", "/api/v1/linked-accounts"],
        ["GET", "/api/v1/banks"],
      ] as const)
        refusedAt(await service.api(method, path, undefined, key), 401, "x-api-key");
    },
  );

  it("an unknown address and a wrong method are 4xx too", async () => {
    for (const path of ["/api/v1/nothing", "/nothing", "/pay", "/api"]) {
      const { status, body } = await service.api("GET", path);
      expect([path, status, body]).toEqual([
        path,
        404,
        { status: 404, message: "There is nothing at this address", type: "NOT_FOUND", errors: [] },
      ]);
    }
    const wrong = await service.api("DELETE", `/api/v1/invoices/${NOBODY}`);
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET"]);
  });
});
