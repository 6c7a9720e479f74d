import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { OPEN_AMOUNT, startTestService, type TestService } from "./service-fixture.ts";

interface Item {
  id: unknown;
  status?: string;
  dateCreated: unknown;
  datePaid: unknown;
  amount: unknown;
}

describe("the hostile lists, on request while the service runs", () => {
  let service: TestService;
  let all: string[];
  beforeAll(async () => {
    service = await startTestService();
    const invoices = [9, 8, 7, 6, 5].map((day) => ({
      createdAt: `2024-05-0${day}T10:00:00Z`,
      paidAt: day % 2 === 1 ? `2024-05-0${day}T11:00:00Z` : null,
    }));
    const made = await service.control("POST", "/invoices", { collectionId: OPEN_AMOUNT, invoices });
    all = made.body.ids;
  });
  afterEach(() => service.control("DELETE", "/faults"));
  afterAll(() => service.close());

  const strike = async (...hostile: Record<string, unknown>[]) => {
    const reply = await service.control("PUT", "/faults", { list: { hostile } });
    expect(reply.status, reply.text).toBe(200);
  };
  const list = async (query = "") => {
    const reply = await service.api("GET", `/api/v1/collections/${OPEN_AMOUNT}/invoices?${query}`);
    expect(reply.status, reply.text).toBe(200);
    return reply.body.data;
  };
  const idsOf = (page: { items: Item[] }) => page.items.map((item) => item.id);

  it("short: items are missing at the end of a page, and the count tells", async () => {
    await strike({ kind: "short", count: 2, pages: [1] });
    const [first, second] = [await list("pageSize=3"), await list("pageSize=3&page=2")];
    expect([idsOf(first), first.totalCount, first.hasNextPage]).toEqual([all.slice(0, 1), 5, true]);
    expect(idsOf(second)).toEqual(all.slice(3));
  });

  it("hidden: an invoice is in no page and no count, and nothing contradicts itself", async () => {
    await strike({ kind: "hidden", invoiceIds: [all[1]?.toUpperCase()] });
    const page = await list();
    expect([idsOf(page), page.totalCount]).toEqual([all.filter((_, nth) => nth !== 1), 4]);
    expect((await service.api("GET", `/api/v1/invoices/${all[1]}`)).status).toBe(200);
  });

  it("empty: a page without items before the end, so many times", async () => {
    await strike({ kind: "empty", times: 1 });
    expect(await list()).toMatchObject({ items: [], totalCount: 5 });
    expect(idsOf(await list())).toEqual(all);
  });

  it("undated, and misdated", async () => {
    await strike({ kind: "undated" });
    for (const item of (await list()).items)
      expect(item).toMatchObject({ dateCreated: null, datePaid: null });
    await strike({ kind: "misdated", datePaid: "next week" });
    expect(new Set((await list()).items.map((item: Item) => item.datePaid))).toEqual(new Set(["next week"]));
    await strike({ kind: "misdated" });
    expect((await list()).items[0].datePaid).toBe("2099-01-01T00:00:00.000Z");
  });

  it("mistyped: numbers and flags are text, times are numbers", async () => {
    await strike({ kind: "mistyped" });
    const page = await list("pageSize=2");
    expect(page).toMatchObject({ page: "1", pageSize: "2", totalCount: "5", hasNextPage: "true" });
    expect(page.items[0]).toMatchObject({
      amount: "1500.50",
      dateCreated: Date.parse("2024-05-09T10:00:00Z"),
    });
  });

  it("statusless, and unusable-ids", async () => {
    await strike({ kind: "statusless" }, { kind: "unusable-ids" });
    const { items } = await list();
    expect(items.filter((item: Item) => "status" in item)).toEqual([]);
    expect(idsOf({ items })).toEqual(["n/a", ...all.slice(1)]);
  });

  it("reordered: every request has an order of its own", async () => {
    await strike({ kind: "reordered" });
    const orders = new Set<string>();
    for (let nth = 0; nth < 12; nth += 1) {
      const ids = idsOf(await list());
      expect(ids.toSorted()).toEqual(all.toSorted());
      orders.add(ids.join());
    }
    expect(orders.size).toBeGreaterThan(1);
  });

  it("filter-ignored: all filters, or those that are named", async () => {
    const query = "invoiceStatus=Paid&startDate=2024-05-08&endDate=2024-05-09";
    expect(idsOf(await list(query))).toEqual([all[0]]);
    await strike({ kind: "filter-ignored" });
    expect(idsOf(await list(query))).toEqual(all);
    await strike({ kind: "filter-ignored", filters: ["invoiceStatus"] });
    expect(idsOf(await list(query))).toEqual(all.slice(0, 2));
  });

  it("pages-repeated: every page holds the items of the first", async () => {
    await strike({ kind: "pages-repeated" });
    const second = await list("pageSize=2&page=2");
    expect([second.page, idsOf(second), second.hasNextPage]).toEqual([2, all.slice(0, 2), true]);
  });

  it("wrong-total, without-total, wrong-flags, without-flags", async () => {
    await strike({ kind: "wrong-total", by: -2 }, { kind: "wrong-flags" });
    expect(await list("pageSize=5")).toMatchObject({
      totalCount: 3,
      hasNextPage: true,
      hasPreviousPage: true,
    });
    await strike({ kind: "without-total" }, { kind: "without-flags" });
    expect(Object.keys(await list())).toEqual(["items", "page", "pageSize"]);
  });

  it("shifting: the pages shift under the reader", async () => {
    await strike({ kind: "shifting", times: 1, pages: [2] });
    const seen = [...idsOf(await list("pageSize=3")), ...idsOf(await list("pageSize=3&page=2"))];
    expect(seen).toHaveLength(6);
    expect(new Set(seen).size).toBe(5);
  });
});
