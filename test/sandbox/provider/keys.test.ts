import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { INVOICE, startTestService, TEST_KEY, type TestService } from "./service-fixture.ts";

describe("Live and Test keys", () => {
  let service: TestService;
  let live: string;
  let test: string;
  beforeAll(async () => {
    service = await startTestService();
    live = await service.create();
    test = (await service.api("POST", "/api/v1/invoices", INVOICE, TEST_KEY)).body.data.id;
  });
  afterAll(() => service.close());

  it("make invoices of their kind, and read both kinds", async () => {
    const asTest = await service.api("GET", `/api/v1/invoices/${live}`, undefined, TEST_KEY);
    const asLive = await service.api("GET", `/api/v1/invoices/${test}`);
    expect([asTest.body.data.type, asLive.body.data.type]).toEqual(["Live", "Test"]);
  });

  it("a Test key changes nothing Live, and a Live key may change both", async () => {
    const invalidate = (id: string, key?: string) =>
      service.api("POST", `/api/v1/invoices/${id}/invalidate`, undefined, key);
    const refused = await invalidate(live, TEST_KEY);
    expect([refused.status, refused.body.errors]).toEqual([403, ["id names a Live invoice"]]);
    expect((await service.api("GET", `/api/v1/invoices/${live}`)).body.data.status).toBe("Unpaid");
    expect((await invalidate(test)).status).toBe(200);
    const linkedAccount = { bankId: 1, accountNumber: "4455667788", isPrimary: false };
    const linking = await service.api("POST", "/api/v1/linked-accounts", { linkedAccount }, TEST_KEY);
    expect(linking.status).toBe(403);
    expect((await service.api("POST", "/api/v1/linked-accounts", { linkedAccount })).status).toBe(201);
  });
});
