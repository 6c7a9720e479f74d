import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SHARED, startTestService, type TestService } from "./service-fixture.ts";

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

  const link = (accountNumber: string) =>
    service.api("POST", "/api/v1/linked-accounts", { linkedAccount: { bankId: 7, accountNumber } });

  it("of 20 first ones at once exactly one is primary, and of 20 the same exactly one is linked", async () => {
    const different = Array.from({ length: 20 }, (_, nth) => link(`10000000${nth + 10}`));
    const same = Array.from({ length: 20 }, () => link("9999999999"));
    const statuses = (await Promise.all([...different, ...same])).map((reply) => reply.status);
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(201));
    expect(statuses.slice(20).sort()).toEqual([201, ...Array(19).fill(400)]);

    const linked = (await service.control("GET", "/linked-accounts")).body.linkedAccounts;
    expect(linked).toHaveLength(21);
    expect(linked.filter((account: { isPrimary: boolean }) => account.isPrimary)).toHaveLength(1);
    expect(new Set(linked.map((account: { status: string }) => account.status))).toEqual(
      new Set(["Pending"]),
    );
  });
});
