import { readFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_SEED_FILE } from "../../../src/sandbox/provider/seed.ts";
import {
  ACCOUNT_A,
  ACCOUNT_B,
  call,
  INVOICE,
  LIVE_KEY,
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
  const create = (fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    call(
      `${service.url}/api/v1/invoices`,
      "POST",
      { ...INVOICE, ...fields },
      { "x-api-key": LIVE_KEY, ...headers },
    );
  const list = (query: string) => service.api("GET", `/api/v1/collections/${OPEN_AMOUNT}/invoices?${query}`);
  const said = ({ status, body }: Reply) => [status, body.message];
  const shared = (...linkedAccountIds: string[]) => ({
    collectionId: SHARED,
    invoiceBeneficiaries: linkedAccountIds.map((linkedAccountId) => ({ linkedAccountId, amount: 750 })),
  });

  it("beneficiaries' sums: checked, or not", async () => {
    const wrong = "invoiceBeneficiaries should sum to the amount 1500.50, but sum to 750.00";
    expect(said(await create(shared(ACCOUNT_A)))).toEqual([400, wrong]);
    await force({ create: { beneficiariesSum: "unchecked" } });
    expect((await create(shared(ACCOUNT_A))).status).toBe(200);
  });

  it("the merchant's own account has to be among the beneficiaries, or not", async () => {
    await force({ create: { owner: "required", beneficiariesSum: "unchecked" } });
    const wrong = "invoiceBeneficiaries should name the merchant's own account too";
    expect(said(await create(shared(ACCOUNT_B)))).toEqual([400, wrong]);
    expect((await create(shared(ACCOUNT_B, ACCOUNT_A))).status).toBe(200);
  });

  it("other content types than JSON are refused with 415, or not", async () => {
    expect((await create({}, { "content-type": "text/plain" })).status).toBe(200);
    await force({ http: { contentTypes: "json" } });
    const wrong = "content-type should be application/json";
    expect(said(await create({}, { "content-type": "text/plain" }))).toEqual([415, wrong]);
    expect((await create({}, { "content-type": "application/json; charset=utf-8" })).status).toBe(200);
    const id = await service.create();
    expect((await service.api("POST", `/api/v1/invoices/${id}/invalidate`)).status).toBe(200);
  });

  it.each([
    ["linkedAccountId", ACCOUNT_A],
    ["IsDownloading", "true"],
  ])("%s is understood, refused or ignored", async (name, value) => {
    const field = name.replace("Is", "is");
    const query = `${name}=${value}&pageSize=1`;
    expect((await list(query)).status).toBe(200);
    await force({ list: { [field]: "refused" } });
    const refused = await list(query);
    expect([refused.status, refused.body.message.split(" ")[0]]).toEqual([400, name]);
    await force({ list: { [field]: "ignored" } });
    const { status, body } = await list(query);
    expect([status, body.data.items.length]).toEqual([200, 1]);
  });

  it("linkedAccountId selects what an account shares: by the invoice's beneficiaries, else by the collection", async () => {
    await force({ create: { beneficiariesSum: "unchecked" } });
    const ids: string[] = [];
    for (const account of [ACCOUNT_A, ACCOUNT_B]) ids.push((await create(shared(account))).body.data.id);
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

  it("a filter that nobody knows is refused by its name, or ignored", async () => {
    expect(said(await list("invoiceStaus=Paid"))).toEqual([
      400,
      "invoiceStaus is not taken: the list takes invoiceStatus, search, startDate, endDate, invoiceType, page, pageSize",
    ]);
    await force({ list: { unknownFilters: "ignored" } });
    expect((await list("invoiceStaus=Paid")).status).toBe(200);
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

  it("other limits: pages, bodies, titles, amounts", async () => {
    const pages = { pageSize: 2, mostPageSize: 3 };
    await force({
      limits: { ...pages, titleLength: 10, leastAmount: 100, mostAmount: 2000, bodyBytes: 500 },
    });
    for (let nth = 0; nth < 4; nth += 1) await service.create({ title: "Short" });
    expect((await list("")).body.data.items).toHaveLength(2);
    expect((await list("pageSize=4")).body.message).toBe("pageSize should be at most 3");
    for (const [fields, message] of [
      [{ title: "Much too long" }, "title should have at most 10 characters"],
      [{ title: "Low", amount: 99.99 }, "amount should be at least 100"],
      [{ title: "High", amount: 2000.01 }, "amount should be at most 2000"],
    ] as const)
      expect(said(await create(fields))).toEqual([400, message]);
    expect((await create({ payerName: "n".repeat(600) })).status).toBe(413);
    await force({ limits: { mostPageSize: 3, pageSizeOver: "capped" } });
    expect((await list("pageSize=4")).body.data).toMatchObject({ pageSize: 3, items: [{}, {}, {}] });
  });

  it("a limit on requests: 429 with Retry-After for one key, while another goes on", async () => {
    await force({ http: { requestsPerSecond: 3 } });
    const replies = await Promise.all(Array.from({ length: 20 }, () => service.api("GET", "/api/v1/banks")));
    const refused = replies.filter((reply) => reply.status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers.get("retry-after")).toBe("1");
    expect((await service.api("GET", "/api/v1/banks", undefined, TEST_KEY)).status).toBe(200);
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

  it("idempotency by header: the same word makes one invoice, however many ask at once", async () => {
    await force({ create: { idempotencyHeader: "Idempotency-Key" } });
    const word = { "idempotency-key": "order-42" };
    const replies = await Promise.all(Array.from({ length: 8 }, () => create({ title: "Once" }, word)));
    expect(replies.map((reply) => reply.status)).toEqual(Array(8).fill(200));
    expect(new Set(replies.map((reply) => reply.body.data.id)).size).toBe(1);
    const used = "The idempotency key was used for another request";
    expect(said(await create({ title: "Something else" }, word))).toEqual([409, used]);
    const tooLong = { "idempotency-key": "k".repeat(256) };
    expect((await create({}, tooLong)).body.message).toContain("at most 255 characters");
    const elsewhere = await create({ title: "Once" }, { "x-api-key": TEST_KEY, ...word });
    expect(elsewhere.body.data.id).not.toBe(replies[0]?.body.data.id);
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
