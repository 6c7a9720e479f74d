import { describe, expect, it } from "vitest";
import { DEFAULT_SEED_FILE, parseSeed, readSeed } from "../../../src/sandbox/provider/seed.ts";
import { runOn } from "../../support/postgres-server.ts";
import { LIVE_KEY, OPEN_AMOUNT, startTestService, TEST_KEY } from "./service-fixture.ts";

describe("the seed", () => {
  it("keeps at a restart what happened since, and writes again what the user changed in it", async () => {
    const service = await startTestService();
    try {
      const id = await service.create();
      await service.control("POST", `/invoices/${id}/pay`);
      await service.control("PATCH", `/collections/${OPEN_AMOUNT}`, { status: "Disabled" });
      await service.restart();
      const collection = async () =>
        (await service.api("GET", `/api/v1/collections/${OPEN_AMOUNT}`)).body.data;
      expect((await collection()).status).toBe("Disabled");
      expect((await service.api("GET", `/api/v1/invoices/${id}`)).body.data.status).toBe("Paid");

      const seed = structuredClone((await import(DEFAULT_SEED_FILE, { with: { type: "json" } })).default);
      seed.collections[0].collectionName = "School fees 2027";
      seed.collections[0].collectionAccounts = [
        { linkedAccountId: seed.linkedAccounts[1].id, percentage: 100 },
      ];
      seed.apiKeys.splice(1);
      await service.restart({ seed });
      expect(await collection()).toMatchObject({
        collectionName: "School fees 2027",
        status: "Active",
        collectionAccounts: [{ percentage: 100, linkedAccount: { accountNumber: "1023456789" } }],
      });
      expect((await service.api("GET", `/api/v1/invoices/${id}`)).body.data).toMatchObject({
        status: "Paid",
        collectionName: "School fees 2027",
      });
      expect((await service.api("GET", "/api/v1/banks", undefined, TEST_KEY)).status).toBe(401);
    } finally {
      await service.close();
    }
  });

  it("never writes a key into the database", async () => {
    const service = await startTestService();
    const keys = "select name, type, encode(sha256, 'hex') as hash from collection_service.api_key";
    const rows = await runOn<{ name: string }>(service.database.url, keys);
    await service.close();
    expect(rows.map((row) => row.name)).toEqual(["local live", "local test"]);
    expect(JSON.stringify(rows)).not.toContain(LIVE_KEY);
  });

  it("that is wrong is refused as a whole, every problem by its field, no key printed", async () => {
    const seed = JSON.parse(JSON.stringify(await readSeed()));
    seed.$comment = undefined;
    seed.apiKeys[0].key = "short-secret";
    seed.collections[0].collectionAccounts[0].percentage = 5;
    seed.linkedAccounts[1].bankId = 99;
    seed.linkedAccounts[1].isPrimary = true;
    expect(() => parseSeed(seed)).toThrow(/apiKeys\[0\]\.key should/);
    expect(() => parseSeed(seed)).not.toThrow(/short-secret/);
    seed.apiKeys[0].key = LIVE_KEY;
    for (const problem of [
      "collections[0].collectionAccounts should have percentages that sum to 100",
      "linkedAccounts[1].bankId names no bank",
      "linkedAccounts should have at most one primary",
    ])
      expect(() => parseSeed(seed)).toThrow(problem);
  });

  it("file that is not there or no JSON is named", async () => {
    await expect(readSeed("/no/such/seed.json")).rejects.toThrow("/no/such/seed.json cannot be read");
    await expect(readSeed(import.meta.filename)).rejects.toThrow("cannot be read");
  });
});
