import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { INVOICE, SHARED, startTestService, type TestService } from "./service-fixture.ts";

const SEED = {
  biller: { name: "Chike Stores" },
  fee: { percent: "1.5", vatPercent: "7.5" },
  apiKeys: [{ name: "live", type: "Live" as const, key: "live_local_4f1c0d7e9a2b48d3b6e5" }],
  banks: [
    {
      bankId: 7,
      id: "2f0d7c1e-6b0a-4a41-9c52-0b5f1c6d7e07",
      name: "Wema Bank",
      code: "035",
      logo: "https://logos.example/wema.png",
    },
  ],
  linkedAccounts: [],
  collections: [
    {
      id: SHARED,
      collectionName: "Marketplace",
      paymentChannels: ["Card" as const],
      dateCreated: "2024-03-04T09:00:00.000Z",
    },
  ],
};

describe("linked accounts", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ seed: SEED });
  });
  afterAll(() => service.close());

  const link = (accountNumber: string, isPrimary = false) =>
    service.api("POST", "/api/v1/linked-accounts", {
      linkedAccount: { bankId: 7, accountNumber, isPrimary },
    });
  const accounts = async () => (await service.control("GET", "/linked-accounts")).body.linkedAccounts;

  it("of 20 first ones at once exactly one is primary, and of 20 the same exactly one is linked", async () => {
    const different = Array.from({ length: 20 }, (_, nth) => link(`10000000${nth + 10}`));
    const same = Array.from({ length: 20 }, () => link("9999999999"));
    const statuses = (await Promise.all([...different, ...same])).map((reply) => reply.status);
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(201));
    expect(statuses.slice(20).sort()).toEqual([201, ...Array(19).fill(400)]);

    const linked = await accounts();
    expect(linked).toHaveLength(21);
    expect(linked.filter((account: { isPrimary: boolean }) => account.isPrimary)).toHaveLength(1);
    expect(new Set(linked.map((account: { status: string }) => account.status))).toEqual(
      new Set(["Pending"]),
    );
  });

  it("one that asks to be primary takes the place of the one that was", async () => {
    await link("7777777777", true);
    const primary = (await accounts()).filter((account: { isPrimary: boolean }) => account.isPrimary);
    expect(primary).toMatchObject([
      { accountNumber: "7777777777", accountName: "Chike Stores", status: "Pending" },
    ]);
  });

  it("receives no settlement before it is approved", async () => {
    const [{ id }] = await accounts();
    const create = () =>
      service.api("POST", "/api/v1/invoices", {
        ...INVOICE,
        collectionId: SHARED,
        invoiceBeneficiaries: [{ linkedAccountId: id, amount: "1500.50" }],
      });
    const refused = await create();
    expect([refused.status, refused.body.errors]).toEqual([
      412,
      ["invoiceBeneficiaries[0].linkedAccountId is not approved yet"],
    ]);
    expect((await service.control("POST", `/linked-accounts/${id}/approve`)).status).toBe(200);
    expect((await create()).status).toBe(200);
  });
});
