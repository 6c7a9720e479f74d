import { readFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_SEED_FILE } from "../../../src/sandbox/provider/seed.ts";
import {
  ACCOUNT_A,
  ACCOUNT_B,
  INVOICE,
  OPEN_AMOUNT,
  type Reply,
  SHARED,
  startTestService,
  TEST_KEY,
  type TestService,
} from "./service-fixture.ts";

const seedWith = async (faults: Record<string, unknown>) => ({
  ...JSON.parse(await readFile(DEFAULT_SEED_FILE, "utf8")),
  faults,
});

describe("what the specification leaves open, and a real provider may do otherwise", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterEach(() => service.control("DELETE", "/faults"));
  afterAll(() => service.close());

  const force = async (faults: Record<string, unknown>) => {
    const reply = await service.control("PUT", "/faults", faults);
    expect(reply.status, reply.text).toBe(200);
  };
  const list = (query: string) => service.api("GET", `/api/v1/collections/${OPEN_AMOUNT}/invoices?${query}`);
  const said = ({ status, body }: Reply) => [status, body.message];
  it("linkedAccountId selects what an account shares: by the invoice's beneficiaries, else by the collection", async () => {
    const ids: string[] = [];
    for (const linkedAccountId of [ACCOUNT_A, ACCOUNT_B])
      ids.push(
        await service.create({
          collectionId: SHARED,
          invoiceBeneficiaries: [{ linkedAccountId, amount: INVOICE.amount }],
        }),
      );
    const ofB = await service.api(
      "GET",
      `/api/v1/collections/${SHARED}/invoices?linkedAccountId=${ACCOUNT_B}`,
    );
    const found = ofB.body.data.items.map((item: { id: string }) => item.id);
    expect(found).toContain(ids[1]);
    expect(found).not.toContain(ids[0]);
    const open = async (account: string) => (await list(`linkedAccountId=${account}`)).body.data.totalCount;
    expect(await open(ACCOUNT_B)).toBe(await open(ACCOUNT_A));
    expect(await open("00000000-0000-4000-8000-00000000dead")).toBe(0);
    expect((await list("linkedAccountId=12")).body.message).toContain("linkedAccountId should be a UUID");
  });

  it("IsDownloading=true answers with all invoices at once", async () => {
    for (let nth = 0; nth < 3; nth += 1) await service.create();
    const { body } = await list("IsDownloading=true&pageSize=1&page=1");
    expect(body.data.items).toHaveLength(body.data.totalCount);
    expect(body.data).toMatchObject({ hasNextPage: false, page: 1 });
  });

  it("a filter that nobody knows is refused by its name", async () => {
    expect(said(await list("invoiceStaus=Paid"))).toEqual([
      400,
      "invoiceStaus is not taken: the list takes invoiceStatus, search, startDate, endDate, invoiceType, page, pageSize",
    ]);
  });

  it("other paths, where the contract's own are then nothing", async () => {
    await force({ http: { paths: { getInvoice: "/v2/Invoice/{id}/details", getBanks: "/v2/banks" } } });
    const id = await service.create();
    expect((await service.api("GET", `/v2/invoice/${id}/details`)).body.data.id).toBe(id);
    expect((await service.api("GET", "/v2/banks")).status).toBe(200);
    expect((await service.api("GET", `/api/v1/invoices/${id}`)).status).toBe(404);
    expect((await service.api("GET", "/api/v1/banks")).status).toBe(404);
    const { body } = await service.api("GET", "/openapi.json");
    expect(Object.keys(body.paths)).toContain("/v2/Invoice/{id}/details");
  });

  it.each([
    [{ getInvoice: "/v2/invoices" }, "http.paths.getInvoice should hold {id} once"],
    [{ getBanks: "/v2/banks/{id}" }, "http.paths.getBanks should hold no {id}"],
    [{ getBanks: "banks" }, "http.paths.getBanks should be a path such as /api/v1/invoices/{id}"],
  ])("refuses the paths %j", async (paths, message) => {
    expect(said(await service.control("PUT", "/faults", { http: { paths } }))).toEqual([400, message]);
  });

  it("other limits of pages", async () => {
    await force({ limits: { pageSize: 2, mostPageSize: 3 } });
    for (let nth = 0; nth < 4; nth += 1) await service.create();
    expect((await list("")).body.data.items).toHaveLength(2);
    expect((await list("pageSize=4")).body.message).toBe("pageSize should be at most 3");
    await force({ limits: { mostPageSize: 3, pageSizeOver: "capped" } });
    expect((await list("pageSize=4")).body.data).toMatchObject({ pageSize: 3, items: [{}, {}, {}] });
  });

  it("lists in other orders", async () => {
    const ids = async () =>
      (await list("pageSize=100")).body.data.items.map((item: { id: string }) => item.id);
    const newestFirst = await ids();
    await force({ list: { order: "oldest-first" } });
    expect(await ids()).toEqual(newestFirst.toReversed());
    await force({ list: { order: "by-id" } });
    expect(await ids()).toEqual(newestFirst.toSorted());
  });
});

describe("the same by the seed", () => {
  it("is in force from the start, beneath what is asked for while the service runs, and again afterwards", async () => {
    const seed = await seedWith({ limits: { pageSize: 3 }, list: { includesTest: false } });
    const service = await startTestService({ seed });
    const list = async () => {
      const { body } = await service.api("GET", `/api/v1/collections/${OPEN_AMOUNT}/invoices`);
      return [body.data.pageSize, body.data.items.length];
    };
    await service.api("POST", "/api/v1/invoices", INVOICE, TEST_KEY);
    expect(await list()).toEqual([3, 0]);
    await service.control("PUT", "/faults", { list: { includesTest: true } });
    expect(await list()).toEqual([3, 1]);
    await service.control("DELETE", "/faults");
    expect(await list()).toEqual([3, 0]);
    await service.close();
  });

  it("is refused by the field's name", async () => {
    const seed = await seedWith({ list: { order: "rude" } });
    await expect(startTestService({ seed })).rejects.toThrow(/faults\.list\.order/);
  });
});
