import { describe, expect, it } from "vitest";
import { readSeed } from "../../../src/sandbox/provider/seed.ts";
import { expectGolden } from "../../support/golden.ts";
import { runOn } from "../../support/postgres-server.ts";
import { LIVE_KEY, OPEN_AMOUNT, startTestService, TEST_KEY } from "./service-fixture.ts";

/** The seed file, to be changed. */
const seedFile = async () => JSON.parse(JSON.stringify({ ...(await readSeed()), $comment: undefined }));

describe("the seed", () => {
  it("keeps at a restart what happened since, and takes over what the user changed in it", async () => {
    const service = await startTestService();
    const id = await service.create();
    await service.control("POST", `/invoices/${id}/pay`);
    await service.restart();
    const collection = async () => (await service.api("GET", `/api/v1/collections/${OPEN_AMOUNT}`)).body.data;
    expect((await service.api("GET", `/api/v1/invoices/${id}`)).body.data.status).toBe("Paid");

    const seed = await seedFile();
    seed.collections[0].collectionName = "School fees 2027";
    seed.collections[0].collectionAccounts = [
      { linkedAccountId: seed.linkedAccounts[1].id, percentage: 100 },
    ];
    seed.apiKeys.splice(1);
    await service.restart({ seed });
    expect(await collection()).toMatchObject({
      ...{ collectionName: "School fees 2027", status: "Active" },
      collectionAccounts: [{ percentage: 100, linkedAccount: { accountNumber: "1023456789" } }],
    });
    expect((await service.api("GET", `/api/v1/invoices/${id}`)).body.data).toMatchObject({
      ...{ status: "Paid", collectionName: "School fees 2027" },
    });
    expect((await service.api("GET", "/api/v1/banks", undefined, TEST_KEY)).status).toBe(401);
    const keys = await runOn(service.database.url, "select * from collection_service.api_key");
    expect(keys).toMatchObject([{ name: "local live" }]);
    expect(JSON.stringify(keys)).not.toContain(LIVE_KEY);
    await service.close();
  });

  it("that is wrong is refused as a whole, every problem by its field, no key printed", async () => {
    const seed = await seedFile();
    seed.collections[0].collectionAccounts[0].percentage = 500;
    seed.apiKeys[0].key = "short-secret";
    const refused = await startTestService({ seed }).catch(String);
    expect(refused).not.toContain("short-secret");
    await expect(readSeed("/no/such/seed.json")).rejects.toThrow("/no/such/seed.json");
    await expectGolden("seed-refused", `${refused}`);
  });
});
