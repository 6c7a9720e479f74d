import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { count, refusedAt } from "./refused-at.ts";
import { NOBODY, OPEN_AMOUNT, startTestService, type TestService } from "./service-fixture.ts";

describe("bad input elsewhere is a clear 4xx with the field's name, and leaves nothing behind", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

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
    // What test/collection-api/bad-input.test.ts does not hold for the filter's schema.
    ["page=abc", "page"],
    ["page=99999999999999999999", "page"],
    ["page=1&page=2", "page"],
    ["invoiceStatus=Lost", "invoiceStatus"],
    ["invoiceType=Real", "invoiceType"],
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
    ["an unknown bank", { bankId: 999, accountNumber: "1111111111" }, "bankId"],
    ["a huge bank", { bankId: 2 ** 40, accountNumber: "1111111111" }, "bankId"],
    ["a linked account number", { bankId: 1, accountNumber: "0123456789" }, "accountNumber"],
    ["no linkedAccount", undefined, "linkedAccount"],
  ])("Add Linked Account: %s", async (_what, linkedAccount, field) => {
    const before = await count(service, "linked_account");
    refusedAt(await service.api("POST", "/api/v1/linked-accounts", { linkedAccount }), 400, field);
    expect(await count(service, "linked_account")).toBe(before);
  });

  it("Add Linked Account: an account that several link at once is linked by one of them", async () => {
    const before = await count(service, "linked_account");
    const linkedAccount = { bankId: 1, accountNumber: "5550001112" };
    const link = () => service.api("POST", "/api/v1/linked-accounts", { linkedAccount });
    const replies = await Promise.all(Array.from({ length: 8 }, link));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(400)]);
    for (const reply of replies.filter(({ status }) => status === 400))
      refusedAt(reply, 400, "accountNumber");
    expect(await count(service, "linked_account")).toBe(before + 1);
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
});
