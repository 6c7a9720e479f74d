import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  FIXED_AMOUNT,
  INVOICE,
  NOBODY,
  OPEN_AMOUNT,
  startTestService,
  type TestService,
} from "./service-fixture.ts";

describe("the control side", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  it("pays once, and says so the second time", async () => {
    const id = await service.create();
    const pay = (path: string) => service.control("POST", path);
    expect((await pay(`/invoices/${id}/pay`)).body).toEqual({ outcome: "paid" });
    expect((await pay(`/invoices/${id}/pay`)).status).toBe(412);
    expect((await pay(`/invoices/${NOBODY}/pay`)).status).toBe(404);
    expect((await pay("/invoices/x/pay")).status).toBe(400);
  });

  it("changes a collection: its state, its amount, its expiry, who bears the fee", async () => {
    const change = (body: unknown) => service.control("PATCH", `/collections/${FIXED_AMOUNT}`, body);
    const create = () =>
      service.api("POST", "/api/v1/invoices", { ...INVOICE, collectionId: FIXED_AMOUNT, amount: undefined });
    await change({ status: "Suspended" });
    expect((await create()).status).toBe(403);
    await change({ status: "Active", amount: "1000.00", serviceFeeBilling: "Merchant" });
    expect((await create()).body.data).toMatchObject({
      amount: 1000,
      serviceCharge: 15,
      vat: 1.13,
      totalAmount: 1000,
      settleableAmount: 983.87,
      serviceFeePayer: "Merchant",
    });
    expect((await change({ amount: "-1" })).status).toBe(400);
    expect((await change({})).status).toBe(400);
    expect((await change({ statsu: "Active" })).body.errors.join()).toContain("statsu");
    expect((await service.control("PATCH", `/collections/${NOBODY}`, { status: "Active" })).status).toBe(404);
  });

  it("makes invoices with a past all or none", async () => {
    const at = "2024-05-01T10:00:00Z";
    const one = { id: "11111111-1111-4111-8111-111111111111", createdAt: at, paidAt: at, amount: "5.00" };
    const bulk = (invoices: unknown[]) =>
      service.control("POST", "/invoices", { collectionId: OPEN_AMOUNT, invoices });
    expect((await bulk([one])).body).toEqual({ ids: [one.id] });
    const { body } = await service.api("GET", `/api/v1/invoices/${one.id}`);
    expect(body.data).toMatchObject({ status: "Paid", paymentDate: "2024-05-01T10:00:00.000Z", amount: 5 });
    const before = await service.api("GET", `/api/v1/collections/${OPEN_AMOUNT}/invoices`);
    const twice = await bulk([{ createdAt: at, paidAt: at }, one]);
    expect([twice.status, twice.body.errors]).toEqual([400, ["invoices holds an id that is taken"]]);
    const after = await service.api("GET", `/api/v1/collections/${OPEN_AMOUNT}/invoices`);
    expect(after.body.data.totalCount).toBe(before.body.data.totalCount);
    const { errors } = (await bulk([{ createdAt: at, title: "a\0b" }])).body;
    expect(errors).toEqual(["invoices holds what Postgres cannot keep"]);
    expect((await bulk([{ createdAt: at, paidAt: "2023-01-01T00:00:00Z" }])).status).toBe(400);
    expect((await bulk([])).status).toBe(400);
  });

  it("is closed to pages of other sites and to foreign host names", async () => {
    const asked = (headers: Record<string, string>) =>
      new Promise<number>((resolve, reject) => {
        httpRequest(`${service.url}/_control/faults`, { headers }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        })
          .on("error", reject)
          .end();
      });
    expect(await asked({})).toBe(200);
    expect(await asked({ origin: "https://evil.example" })).toBe(403);
    expect(await asked({ host: "rebound.example" })).toBe(403);
  });

  it("stands apart from the API: it needs no API key, and the API has no such path", async () => {
    expect((await service.api("GET", "/api/v1/_control/faults")).status).toBe(404);
    expect((await service.control("GET", "/nothing")).status).toBe(404);
    expect((await service.control("PUT", "/faults", "{")).status).toBe(400);
  });
});
