import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readSettings, SERVE_REQUIRES, sourcesOf } from "../../../src/platform/config/settings.ts";
import { Secret } from "../../../src/platform/values/mask.ts";
import { checkSharing } from "../../../src/runtime/doctor.ts";
import { runCli, runCliProcess } from "../../support/cli-process.ts";
import { doctorChecks } from "../../support/doctor-checks.ts";
import { expectGolden } from "../../support/golden.ts";
import { startHarness, TOKEN } from "../../support/relay.ts";
import type { Script } from "../../support/scripted-provider.ts";

const KEY = "test-api-key";

const collection = (id: string, changes: Record<string, unknown> = {}): Script => ({
  status: 200,
  body: {
    ...{ status: "success", message: "Collection retrieved" },
    data: {
      ...{ id, collectionName: "Term 1", description: "Fees", invoiceExpirationPeriod: "OneDay" },
      ...{ paymentChannels: ["Card"], settlementFrequency: "Daily", serviceFeeBilling: "Payer", amount: 100 },
      ...{ dateCreated: "2026-01-01T00:00:00Z", status: "Active", collectionAccounts: [] },
      collectionCategory: { id: randomUUID(), name: "Education" },
      ...changes,
    },
  },
});

/** What doctor finds, by the first word of what it is about; whatever that is, no secret is in it. */
async function doctor(environment: Record<string, string | undefined>) {
  const checks = await doctorChecks(environment);
  const password = decodeURIComponent(URL.parse(environment.DATABASE_URL ?? "")?.password ?? "");
  for (const secret of [KEY, TOKEN, password])
    if (secret !== "") expect(JSON.stringify(checks)).not.toContain(secret);
  const found = (about: string) => checks.filter((one) => one.about.split(" ")[0] === about);
  return {
    found,
    of: (about: string) => found(about).map(({ state }) => state),
    says: (about: string, state: string) =>
      found(about)
        .filter((one) => one.state === state)
        .map(({ says }) => says)
        .join("\n"),
  };
}

describe("doctor", () => {
  it("says of each part that it is well, and changes nothing", async () => {
    const harness = await startHarness();
    const id = randomUUID();
    harness.provider.collection(id, collection(id));
    await runCli(["migrate"], { DATABASE_URL: harness.databaseUrl });
    const { of, says } = await doctor(harness.environment({ COLLECTION_IDS: id }));
    for (const about of ["settings", "schema", "callback", "provider"])
      expect(of(about), about).toEqual(["ok"]);
    expect(says("provider", "ok")).toContain("Term 1");
    expect(of("database")[0]).toBe("ok");
    expect(of("topic")).toEqual(["warning"]);
    expect(await harness.query("select 1 from source")).toEqual([]);
  });

  it("exits 4 where only something else does not answer, and 1 where something is wrong as well; --json says the same", async () => {
    const harness = await startHarness();
    const nowhere = { DATABASE_URL: "postgres://relay@127.0.0.1:1/relay", COLLECTION_IDS: "none" };
    const environment = harness.environment(nowhere);
    const away = await runCli(["doctor", "--json"], environment);
    expect([away.code, JSON.parse(away.stdout).healthy]).toEqual([4, false]);
    expect((await runCli(["doctor"], environment)).code).toBe(4);
    expect((await runCli(["doctor"], { ...environment, COLLECTION_IDS: "" })).code).toBe(1);
  });

  it.each([
    ["provider", { COLLECTION_API_URL: "http://127.0.0.1:1" }],
    ["topic", { AWS_ENDPOINT_URL_SNS: "http://127.0.0.1:1" }],
    ["database", { DATABASE_URL: "postgres://a:hush-hush@127.0.0.1:1/x" }],
  ])("tells a %s that is away from one that is wrong, and looks at the rest", async (about, changes) => {
    const { found, of } = await doctor((await startHarness()).environment(changes));
    expect(found(about)).toMatchObject([{ state: "fault", away: true }]);
    if (about !== "provider") expect(of("provider")).toEqual(["ok"]);
  });

  it("lists settings that are missing and still looks at the database", async () => {
    const { of, says } = await doctor({ DATABASE_URL: (await startHarness()).databaseUrl });
    expect(says("settings", "fault")).toContain("SNS_TOPIC_ARN");
    expect(of("schema")).toEqual(["ok"]);
  });

  it("fails where nothing is reconciled and nobody has said so; with COLLECTION_IDS=none that is meant", async () => {
    const harness = await startHarness();
    const found = async (changes = {}) => (await doctor(harness.environment(changes))).of("reconciliation");
    expect(await found()).toEqual(["fault"]);
    expect(await found({ COLLECTION_IDS: "none" })).toEqual(["ok"]);
  });
});

describe("doctor, about the database", () => {
  it("finds a schema that is behind", async () => {
    const harness = await startHarness();
    await harness.query("delete from kysely_migration where name = '0005_replays'");
    const { says } = await doctor(harness.environment());
    expect(says("schema", "fault")).toContain("0005_replays");
  });

  it("finds a database that an earlier version made, and so do migrate and serve", async () => {
    const harness = await startHarness();
    await harness.query("update kysely_migration set name = '0001_log' where name = '0001_callback'");
    expect((await doctor(harness.environment())).of("schema")).toEqual(["fault"]);
    for (const command of ["migrate", "serve"])
      expect((await runCli([command], harness.environment())).code).toBe(1);
  });

  it("finds one that would forget an answered callback in a crash (G1)", async () => {
    const harness = await startHarness();
    const [server] = await harness.query<{ fsync: string }>("select current_setting('fsync') as fsync");
    const { of } = await doctor(harness.environment());
    expect(of("database").filter((state) => state === "fault")).toHaveLength(server?.fsync === "off" ? 1 : 0);
  });
});

describe("doctor, about the provider", () => {
  it("without COLLECTION_IDS tries the key with an invoice that cannot exist", async () => {
    const harness = await startHarness();
    expect((await doctor(harness.environment())).of("provider")).toEqual(["ok"]);
    expect(harness.provider.requests).toEqual([
      expect.stringMatching(/^\/api\/v1\/invoices\/[0-9a-f-]{36}$/),
    ]);
  });

  it("tells refusals apart", async () => {
    const harness = await startHarness();
    const told: string[] = [];
    for (const [status, message] of [
      [401, `Bad key ${KEY}`],
      [403, "A Test key cannot do that"],
      [403, "The collection is suspended"],
      [403, "This key may not do that"],
    ] as const) {
      harness.provider.otherwise({ status, body: { status, message, errors: [] } });
      told.push((await doctor(harness.environment())).says("provider", "fault"));
    }
    expect(new Set(told).size).toBe(4);
    await expectGolden("doctor-refusals", told.join("\n"));
  });

  it("finds a collection that the provider does not know, and one that is closed", async () => {
    const harness = await startHarness();
    const [missing, closed] = [randomUUID(), randomUUID()];
    harness.provider.collection(closed, collection(closed, { status: "Disabled" }));
    const { says } = await doctor(harness.environment({ COLLECTION_IDS: `${missing},${closed}` }));
    expect(says("provider", "fault")).toContain(missing);
    expect(says("provider", "warning")).toContain("Disabled");
  });

  // Which 404 is whose: test/provider/collection-api/classify-answer.test.ts.
  it("does not take any web server's 404 for the provider's", async () => {
    const harness = await startHarness();
    harness.provider.otherwise({ status: 404, body: "" });
    for (const changes of [{}, { COLLECTION_IDS: randomUUID() }])
      expect((await doctor(harness.environment(changes))).of("provider")).toEqual(["fault"]);
  });

  it("says once what is the same of every collection", async () => {
    const harness = await startHarness();
    harness.provider.otherwise({ status: 503, body: { status: 503, message: "Not now", errors: [] } });
    const COLLECTION_IDS = [randomUUID(), randomUUID(), randomUUID()].join(",");
    expect((await doctor(harness.environment({ COLLECTION_IDS }))).of("provider")).toEqual(["fault"]);
  });
});

describe("doctor, about topics", () => {
  it("finds one that does not exist, one in another region, and looks at the test topic", async () => {
    const harness = await startHarness();
    const SNS_TOPIC_ARN = `${harness.topicArn}-gone`;
    const gone = await doctor(
      harness.environment({ SNS_TOPIC_ARN, SNS_TEST_TOPIC_ARN: harness.testTopicArn }),
    );
    expect(gone.says("topic", "fault")).toContain(SNS_TOPIC_ARN);
    expect(gone.says("test", "warning")).toContain(harness.testTopicArn);
    const elsewhere = await doctor(harness.environment({ AWS_REGION: "eu-west-1" }));
    expect(elsewhere.says("topic", "fault")).toContain("eu-west-1");
  });

  it("finds that there are no AWS credentials", async () => {
    const none = { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "", AWS_EC2_METADATA_DISABLED: "true" };
    const environment = { ...(await startHarness()).environment(), ...none, HOME: "/nowhere" };
    const { stdout } = await runCliProcess(["doctor", "--json"], environment);
    const [topic] = JSON.parse(stdout).checks.filter(({ about }: { about: string }) => about === "topic");
    expect(topic).toMatchObject({
      state: "fault",
      says: expect.stringContaining("CredentialsProviderError"),
    });
  });
});

/** A source of its own, with what it has in common with others. */
function source(name: string, { key = `key-of-${name}`, token = `token-of-${name}`, collection = name }) {
  const environment = {
    ...{ PUBLIC_URL: "https://relay.example.com", DATABASE_URL: "postgres://localhost/relay" },
    ...{ COLLECTION_API_URL: "https://api.example.com", COLLECTION_API_KEY: key, AWS_REGION: "eu-west-1" },
    ...{ CALLBACK_TOKENS: TOKEN, SNS_TOPIC_ARN: "arn:aws:sns:eu-west-1:123456789012:events" },
  };
  const [one] = sourcesOf(readSettings(environment, SERVE_REQUIRES));
  if (one === undefined) throw new Error("the settings describe no source");
  return { ...one, name, callbackTokens: [new Secret(token)], collectionIds: [collection] };
}

it.each([
  [{ key: "one" }, 1],
  [{ token: "one" }, 1],
  [{ collection: "one" }, 1],
  [{}, 0],
])("doctor finds the sources that share %j", (shared, count) => {
  const found = checkSharing([source("shop", shared), source("alone", {}), source("school", shared)]);
  expect(found).toHaveLength(count);
  for (const { state, says } of found)
    expect([state, says]).toEqual(["fault", expect.stringMatching(/shop.*school/)]);
});
