import { afterAll, describe, expect, it } from "vitest";
import { INVOICE, OPEN_AMOUNT, startTestService, TEST_KEY } from "./service-fixture.ts";

const service = await startTestService();
afterAll(service.close);
const past = await service.control("POST", "/invoices", {
  collectionId: OPEN_AMOUNT,
  invoices: [
    { createdAt: "2024-05-10T23:59:59.999Z", paidAt: "2024-05-31T10:00:00Z", title: "May 100%" },
    { createdAt: "2024-05-11T00:00:00.000Z", paidAt: "2024-06-01T00:00:00Z", title: "June_fees" },
  ],
});
const [paidInMay, paidInJune] = past.body.ids;
const made = await service.api("POST", "/api/v1/invoices", { ...INVOICE, title: "A test" }, TEST_KEY);
const test = made.body.data.id;
const payer = { payerName: "Zainab Musa", payerEmail: "zainab@example.com" };
const unpaid = await service.create({ title: "Now", ...payer });

describe("the list of a collection's invoices", () => {
  const list = async (query: string, path = "invoices", collection = OPEN_AMOUNT) => {
    const reply = await service.api("GET", `/api/v1/collections/${collection}/${path}?${query}`);
    expect(reply.status, reply.text).toBe(200);
    return reply.body.data;
  };
  const ids = async (...request: Parameters<typeof list>): Promise<string[]> =>
    (await list(...request)).items.map((item: { id: string }) => item.id);

  it("shows the newest first, Live and Test", async () => {
    expect(await ids("")).toEqual([unpaid, test, paidInJune, paidInMay]);
  });

  it("searches name, e-mail and title, without case, and takes % and _ as themselves", async () => {
    for (const search of ["zainab", "ZAINAB@EXAMPLE", "now"])
      expect(await ids(`search=${search}`)).toEqual([unpaid]);
    expect(await ids("search=100%25")).toEqual([paidInMay]);
    expect(await ids("search=June_")).toEqual([paidInJune]);
  });

  it("selects whole UTC days of creation, both ends included", async () => {
    expect(await ids("startDate=2024-05-10&endDate=2024-05-10")).toEqual([paidInMay]);
    expect(await ids("startDate=2024-05-11&endDate=2024-05-11")).toEqual([paidInJune]);
    expect(await ids("startDate=2024-05-12")).toEqual([unpaid, test]);
  });

  it("counts all that match, whatever the page", async () => {
    const third = { totalCount: 4, hasNextPage: true, hasPreviousPage: false };
    expect(await list("page=1&pageSize=3")).toMatchObject({ page: 1, pageSize: 3, ...third });
    const last = { items: [{ id: paidInMay }], totalCount: 4, hasNextPage: false, hasPreviousPage: true };
    expect(await list("page=2&pageSize=3")).toMatchObject(last);
    expect(await list("page=9")).toMatchObject({ items: [], totalCount: 4, hasNextPage: false });
    expect((await list("")).pageSize).toBe(20);
  });

  it("selects by status and by type, named as the provider's own SDK writes them too", async () => {
    expect(await ids("invoiceStatus=unpaid")).toEqual([unpaid, test]);
    expect(await ids("InvoiceType=Test&PAGESIZE=1", "Invoices")).toEqual([test]);
    expect(await ids("invoiceType=&search=&page=", "Invoices")).toHaveLength(4);
  });
});
