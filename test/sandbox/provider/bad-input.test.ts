import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runOn } from "../../support/postgres-server.ts";
import {
  ACCOUNT_A,
  ACCOUNT_B,
  DISABLED,
  FIXED_AMOUNT,
  INVOICE,
  NOBODY,
  OPEN_AMOUNT,
  type Reply,
  SHARED,
  startTestService,
  type TestService,
} from "./service-fixture.ts";

const shares = (...amounts: unknown[]) =>
  amounts.map((amount, nth) => ({ linkedAccountId: nth === 0 ? ACCOUNT_A : ACCOUNT_B, amount }));
const LIST = `/api/v1/collections/${OPEN_AMOUNT}/invoices`;
const LINK = "/api/v1/linked-accounts";

describe("bad input is a clear 4xx with the field's name, and leaves nothing behind", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  const rows = () =>
    runOn(
      service.database.url,
      `select (select count(*) from collection_service.invoice) as invoices,
        (select count(*) from collection_service.linked_account) as accounts`,
    );
  const refused = async (calling: () => Promise<Reply>, status: number, field: string) => {
    const before = await rows();
    const reply = await calling();
    expect(reply.status, reply.text).toBe(status);
    const type = expect.stringMatching(/^[A-Z_]+$/);
    expect(reply.body).toEqual({ status, message: expect.any(String), type, errors: expect.any(Array) });
    expect(reply.body.errors.join("\n")).toContain(field);
    expect(await rows()).toEqual(before);
  };
  const post = (body: unknown) => service.api("POST", "/api/v1/invoices", body);
  const withShares = (...amounts: unknown[]) => ({
    collectionId: SHARED,
    invoiceBeneficiaries: shares(...amounts),
  });

  // One of those that test/collection-api/bad-input.test.ts holds for the request's schema, and each that only
  // the service can know.
  it.each<[string, Record<string, unknown>, string, number?]>([
    ["a NUL in a name", { payerName: "a\0b" }, "payerName"],
    ["__proto__ in metadata", { billerMetaData: JSON.parse('{"__proto__":"x"}') }, "billerMetaData"],
    ["an unknown collection", { collectionId: NOBODY }, "collectionId", 404],
    ["a disabled collection", { collectionId: DISABLED }, "collectionId", 403],
    ["no amount in a collection without one", { amount: null }, "amount"],
    ["an amount in a collection that has one", { collectionId: FIXED_AMOUNT }, "amount"],
    ["beneficiaries where there are accounts", { invoiceBeneficiaries: shares(1500.5) }, "Beneficiaries"],
    ["no beneficiaries where there are none", { collectionId: SHARED }, "invoiceBeneficiaries"],
    ["shares below the amount", withShares(1000, 500.49), "invoiceBeneficiaries"],
    ["a negative share", withShares(1600.5, -100), "invoiceBeneficiaries[1].amount"],
    [
      "a share of nobody",
      { collectionId: SHARED, invoiceBeneficiaries: [{ linkedAccountId: NOBODY, amount: 1500.5 }] },
      "invoiceBeneficiaries[0].linkedAccountId",
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
    ],
  ])("Create Invoice: %s", async (_what, fields, field, status = 400) => {
    await refused(() => post({ ...INVOICE, ...fields }), status, field);
  });

  it.each([
    ["nothing", "", 400, "The request"],
    ["no JSON", "{", 400, "body"],
    ["a list", "[]", 400, "The request"],
    ["5,000 lists inside each other", "[".repeat(5_000) + "]".repeat(5_000), 400, "The request"],
    ["a body of 300 KB", JSON.stringify({ ...INVOICE, title: "x".repeat(300_000) }), 413, "body"],
  ])("Create Invoice: a body that is %s", async (_what, body, status, field) => {
    await refused(() => post(body), status, field);
  });

  it.each([
    ["GET", "/api/v1/invoices/12", 400, "id"],
    ["POST", `/api/v1/invoices/${NOBODY}/invalidate`, 404, "id"],
    ["GET", `/api/v1/collections/${NOBODY}/invoices`, 404, "id"],
    // What test/collection-api/bad-input.test.ts does not hold for the filter's schema.
    ["GET", `${LIST}?page=abc`, 400, "page"],
    ["GET", `${LIST}?invoiceStatus=Lost`, 400, "invoiceStatus"],
    ["GET", `${LIST}?invoiceType=Real`, 400, "invoiceType"],
    ["GET", `${LIST}?search=%00`, 400, "search"],
    // No calendar has the year.
    ["GET", `${LIST}?startDate=0000-01-01`, 400, "startDate"],
    ["POST", LINK, 400, "bankId", { linkedAccount: { bankId: 999, accountNumber: "1111111111" } }],
    ["POST", LINK, 400, "accountNumber", { linkedAccount: { bankId: 1, accountNumber: "0123456789" } }],
  ])("%s %s: %d, about %s", async (method, path, status, field, body?: unknown) => {
    await refused(() => service.api(method, path, body), status, field);
  });

  it("Add Linked Account: an account that several link at once is linked by one of them", async () => {
    const linkedAccount = { bankId: 1, accountNumber: "5550001112" };
    const link = () => service.api("POST", LINK, { linkedAccount });
    const replies = await Promise.all(Array.from({ length: 8 }, link));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(400)]);
    await refused(link, 400, "accountNumber");
  });

  it("an unknown address and a wrong method are 4xx too", async () => {
    for (const path of ["/api/v1/nothing", "/nothing", "/api"]) {
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
        const reply = await post(text);
        expect([200, 400, 404], `${text} gave ${reply.text}`).toContain(reply.status);
      }),
      { numRuns: 200 },
    );
  });
});
