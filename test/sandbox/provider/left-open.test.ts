import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_SEED_FILE } from "../../../src/sandbox/provider/seed.ts";
import {
  ACCOUNT_A,
  ACCOUNT_B,
  INVOICE,
  OPEN_AMOUNT,
  type Reply,
  SHARED,
  startTestService,
  type TestService,
} from "./service-fixture.ts";

const seedWith = async (faults: Record<string, unknown>) => ({
  ...JSON.parse(await readFile(DEFAULT_SEED_FILE, "utf8")),
  faults,
});

describe("what the specification leaves open", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

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
});

describe("a fault in the seed", () => {
  it("is in force from the start, beneath what is asked for while the service runs, and again afterwards", async () => {
    const seed = await seedWith({ callback: { copies: 2, delayMs: 5 } });
    const service = await startTestService({ seed });
    const inForce = async () => (await service.control("GET", "/faults")).body.callback;
    expect(await inForce()).toMatchObject({ copies: 2, delayMs: 5 });
    await service.control("PUT", "/faults", { callback: { copies: 3 } });
    expect(await inForce()).toMatchObject({ copies: 3, delayMs: 5 });
    await service.control("DELETE", "/faults");
    expect(await inForce()).toMatchObject({ copies: 2, delayMs: 5 });
    await service.close();
  });

  it("is refused by the field's name", async () => {
    const seed = await seedWith({ callback: { paymentHiddenAs: "rude" } });
    await expect(startTestService({ seed })).rejects.toThrow(/faults\.callback\.paymentHiddenAs/);
  });
});
