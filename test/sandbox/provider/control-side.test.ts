import { afterAll, describe, expect, it } from "vitest";
import { rawSocket } from "../../support/raw-socket.ts";
import { FIXED_AMOUNT, INVOICE, NOBODY, OPEN_AMOUNT, startTestService } from "./service-fixture.ts";

const service = await startTestService();
afterAll(service.close);

describe("the control side", () => {
  it("pays once, and says so the second time", async () => {
    const id = await service.create();
    const pay = (id: string) => service.control("POST", `/invoices/${id}/pay`);
    expect((await pay(id)).body).toEqual({ outcome: "paid" });
    expect([(await pay(id)).status, (await pay(NOBODY)).status, (await pay("x")).status]).toEqual([
      412, 404, 400,
    ]);
  });

  it("changes a collection: its state, its amount, its expiry, who bears the fee", async () => {
    const change = (body: unknown) => service.control("PATCH", `/collections/${FIXED_AMOUNT}`, body);
    const create = () =>
      service.api("POST", "/api/v1/invoices", { ...INVOICE, collectionId: FIXED_AMOUNT, amount: undefined });
    await change({ status: "Suspended" });
    expect((await create()).status).toBe(403);
    await change({ status: "Active", amount: "1000.00", serviceFeeBilling: "Merchant" });
    expect((await create()).body.data).toMatchObject({
      ...{ amount: 1000, serviceCharge: 15, vat: 1.13, totalAmount: 1000, settleableAmount: 983.87 },
      serviceFeePayer: "Merchant",
    });
    expect((await change({ amount: "-1" })).status).toBe(400);
  });

  it("makes invoices with a past all or none", async () => {
    const at = "2024-05-01T10:00:00Z";
    const one = { id: "11111111-1111-4111-8111-111111111111", createdAt: at, paidAt: at, amount: "5.00" };
    const bulk = (invoices: unknown[]) =>
      service.control("POST", "/invoices", { collectionId: OPEN_AMOUNT, invoices });
    expect((await bulk([one])).body).toEqual({ ids: [one.id] });
    const { body } = await service.api("GET", `/api/v1/invoices/${one.id}`);
    expect(body.data).toMatchObject({ status: "Paid", paymentDate: "2024-05-01T10:00:00.000Z", amount: 5 });
    const count = async () =>
      (await service.api("GET", `/api/v1/collections/${OPEN_AMOUNT}/invoices`)).body.data.totalCount;
    const before = await count();
    const wrong = [one, { createdAt: at, title: "a\0b" }, { createdAt: at, paidAt: "2023-01-01T00:00:00Z" }];
    for (const invoices of [[], ...wrong.map((one) => [{ createdAt: at, paidAt: at }, one])])
      expect((await bulk(invoices)).status).toBe(400);
    expect(await count()).toBe(before);
  });

  it("is closed to pages of other sites and to foreign host names", async () => {
    const { host } = new URL(service.url);
    for (const [headers, status] of [
      [`Host: ${host}`, 200],
      [`Host: ${host}\r\nOrigin: https://evil.example`, 403],
      ["Host: rebound.example", 403],
    ] as const) {
      const request = `GET /_control/faults HTTP/1.1\r\nConnection: close\r\n${headers}\r\n\r\n`;
      expect(await rawSocket(service.url, request).ended).toContain(`HTTP/1.1 ${status} `);
    }
  });
});
