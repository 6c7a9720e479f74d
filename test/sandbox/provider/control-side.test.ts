import { afterAll, describe, expect, it } from "vitest";
import { NOBODY, OPEN_AMOUNT, startTestService } from "./service-fixture.ts";

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

  it("makes invoices with a past, which expire", async () => {
    const at = "2024-05-01T10:00:00Z";
    const one = { id: "11111111-1111-4111-8111-111111111111", createdAt: at, paidAt: at, amount: "5.00" };
    const bulk = (invoices: unknown[]) =>
      service.control("POST", "/invoices", { collectionId: OPEN_AMOUNT, invoices });
    expect((await bulk([one])).body).toEqual({ ids: [one.id] });
    const { body } = await service.api("GET", `/api/v1/invoices/${one.id}`);
    expect(body.data).toMatchObject({ status: "Paid", paymentDate: "2024-05-01T10:00:00.000Z", amount: 5 });
    const [expired] = (await bulk([{ createdAt: at }])).body.ids;
    expect((await service.api("GET", `/api/v1/invoices/${expired}`)).body.data.status).toBe("Invalidated");
    expect((await service.control("POST", `/invoices/${expired}/pay`)).status).toBe(412);
    expect((await bulk([])).status).toBe(400);
  });
});
