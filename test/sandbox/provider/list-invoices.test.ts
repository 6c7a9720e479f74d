import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { INVOICE, OPEN_AMOUNT, startTestService, TEST_KEY, type TestService } from "./service-fixture.ts";

describe("the list of a collection's invoices", () => {
  let service: TestService;
  let paidInMay: string;
  let paidInJune: string;
  let test: string;
  let unpaid: string;
  beforeAll(async () => {
    service = await startTestService();
    const past = async (createdAt: string, paidAt: string | null, title: string) => {
      const { body } = await service.control("POST", "/invoices", {
        collectionId: OPEN_AMOUNT,
        invoices: [{ createdAt, paidAt, title }],
      });
      return body.ids[0];
    };
    paidInMay = await past("2024-05-10T23:59:59.999Z", "2024-05-31T10:00:00Z", "May 100%");
    paidInJune = await past("2024-05-11T00:00:00.000Z", "2024-06-01T00:00:00Z", "June_fees");
    const { body } = await service.api("POST", "/api/v1/invoices", { ...INVOICE, title: "A test" }, TEST_KEY);
    test = body.data.id;
    unpaid = await service.create({
      title: "Now",
      payerName: "Zainab Musa",
      payerEmail: "zainab@example.com",
    });
  });
  afterAll(() => service.close());

  const list = async (query: string, path = "invoices") => {
    const reply = await service.api("GET", `/api/v1/collections/${OPEN_AMOUNT}/${path}?${query}`);
    expect(reply.status, reply.text).toBe(200);
    return reply.body.data;
  };
  const ids = async (query: string, path?: string): Promise<string[]> =>
    (await list(query, path)).items.map((item: { id: string }) => item.id);

  it("shows the newest first, Live and Test", async () => {
    expect(await ids("")).toEqual([unpaid, test, paidInJune, paidInMay]);
  });

  it("selects by status and by type, compared without case", async () => {
    expect(await ids("invoiceStatus=unpaid")).toEqual([unpaid, test]);
    expect(await ids("invoiceType=Live")).toEqual([unpaid, paidInJune, paidInMay]);
  });

  it("searches name, e-mail and title, without case", async () => {
    for (const search of ["zainab", "ZAINAB@EXAMPLE", "now"])
      expect(await ids(`search=${search}`)).toEqual([unpaid]);
  });

  it("takes % and _ in a search as themselves", async () => {
    expect(await ids("search=100%25")).toEqual([paidInMay]);
    expect(await ids("search=June_")).toEqual([paidInJune]);
    expect(await ids("search=%25%25%25")).toEqual([]);
  });

  it("selects whole UTC days of creation, both ends included", async () => {
    expect(await ids("startDate=2024-05-10&endDate=2024-05-10")).toEqual([paidInMay]);
    expect(await ids("startDate=2024-05-11&endDate=2024-05-11")).toEqual([paidInJune]);
    expect(await ids("endDate=2024-05-11")).toEqual([paidInJune, paidInMay]);
    expect(await ids("startDate=2024-05-12")).toEqual([unpaid, test]);
  });

  it("counts all that match, whatever the page", async () => {
    const third = { totalCount: 4, hasNextPage: true, hasPreviousPage: false };
    expect(await list("page=1&pageSize=3")).toMatchObject({ page: 1, pageSize: 3, ...third });
    const last = { items: [{ id: paidInMay }], totalCount: 4, hasNextPage: false, hasPreviousPage: true };
    expect(await list("page=2&pageSize=3")).toMatchObject(last);
    expect(await list("page=2&pageSize=2")).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    expect(await list("page=9")).toMatchObject({ items: [], totalCount: 4, hasNextPage: false });
    expect((await list("")).pageSize).toBe(20);
  });

  it("takes the names as the provider's own SDK writes them", async () => {
    expect(await ids("InvoiceType=Test&PAGESIZE=1", "Invoices")).toEqual([test]);
    expect(await ids("invoiceType=&search=&page=", "Invoices")).toHaveLength(4);
  });
});
