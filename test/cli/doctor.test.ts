import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { runCli, runCliProcess } from "../support/cli-process.ts";
import { doctorChecks } from "../support/doctor-checks.ts";
import { startHarness, TOKEN } from "../support/relay.ts";

const AWS = { AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
const KEY = "test-api-key";

const collection = (id: string, changes: Record<string, unknown> = {}) => ({
  status: 200,
  body: {
    status: "success",
    message: "Collection retrieved",
    data: {
      id,
      collectionName: "Term 1",
      description: "Fees",
      invoiceExpirationPeriod: "OneDay",
      paymentChannels: ["Card"],
      settlementFrequency: "Daily",
      serviceFeeBilling: "Payer",
      amount: 100,
      dateCreated: "2026-01-01T00:00:00Z",
      status: "Active",
      collectionCategory: { id: randomUUID(), name: "Education" },
      collectionAccounts: [],
      ...changes,
    },
  },
});

/**
 * Runs doctor and checks what holds whatever it finds: exit code and words agree, and no secret is printed.
 */
async function doctor(environment: Record<string, string | undefined>, run = runCli) {
  const given: Record<string, string | undefined> = { ...AWS, ...environment };
  const { code, stdout, stderr } = await run(["doctor"], given);
  expect(stderr).toBe("");
  for (const secret of [KEY, TOKEN, decodeURIComponent(URL.parse(given.DATABASE_URL ?? "")?.password ?? "")])
    if (secret !== "") expect(stdout).not.toContain(secret);
  const lines = stdout.split("\n");
  const isBad = lines.some((line) => line.startsWith("FAULT"));
  const onlyAway = lines.includes(
    "Nothing is wrong here, but something does not answer: see the lines marked FAULT.",
  );
  expect(code).toBe(isBad ? (onlyAway ? 4 : 1) : 0);
  return lines;
}

describe("invoice-relay doctor", () => {
  it("says of each part that it is well, and changes nothing", async () => {
    const harness = await startHarness();
    const id = randomUUID();
    harness.provider.collection(id, collection(id));
    await runCli(["migrate"], { DATABASE_URL: harness.databaseUrl });
    const lines = await doctor(harness.environment({ COLLECTION_IDS: id }));
    expect(lines).toContain("ok     settings: everything that serve needs is there");
    expect(lines).toContainEqual(expect.stringMatching(/^ok {5}database: PostgreSQL \d+\.\d+.* answers$/));
    expect(lines).toContain("ok     schema: current");
    expect(lines).toContain(
      "ok     callback URL of default: https://relay.example.com/callbacks/***, one token",
    );
    expect(lines).toContain('ok     provider of default: the key opens collection "Term 1"');
    expect(lines).toContain(`look   topic: ${harness.topicArn} is there, and nobody is subscribed to it`);
    expect(await harness.query("select 1 from source")).toEqual([]);
  });

  it("without COLLECTION_IDS tries the key with an invoice that cannot exist", async () => {
    const harness = await startHarness();
    const lines = await doctor(harness.environment());
    expect(lines).toContain("ok     provider of default: it answers, and takes the key");
    expect(harness.provider.requests).toEqual([
      expect.stringMatching(/^\/api\/v1\/invoices\/[0-9a-f-]{36}$/),
    ]);
  });

  it("fails where nothing is reconciled and nobody has said so; with COLLECTION_IDS=none that is meant", async () => {
    const harness = await startHarness();
    expect(await doctor(harness.environment())).toContainEqual(
      expect.stringMatching(/^FAULT {2}reconciliation of default: off, .* Set COLLECTION_IDS to /),
    );
    const meant = await doctor(harness.environment({ COLLECTION_IDS: "none" }));
    expect(meant).toContain("ok     reconciliation of default: off, as COLLECTION_IDS=none says");
    expect(meant.filter((line) => line.startsWith("FAULT  reconciliation"))).toEqual([]);
  });

  it("exits 4 where only the database does not answer, and 1 where something is wrong as well", async () => {
    const harness = await startHarness();
    const nowhere = { DATABASE_URL: "postgres://relay@127.0.0.1:1/relay", COLLECTION_IDS: "none" };
    const environment = { ...AWS, ...harness.environment(nowhere) };
    expect((await runCli(["doctor"], environment)).code).toBe(4);
    expect((await runCli(["doctor"], { ...environment, COLLECTION_IDS: "" })).code).toBe(1);
  });

  it.each([
    ["provider of default", { COLLECTION_API_URL: "http://127.0.0.1:1" }],
    ["topic", { AWS_ENDPOINT_URL_SNS: "http://127.0.0.1:1" }],
  ])("tells a %s that is away from one that is wrong", async (about, changes) => {
    const harness = await startHarness();
    expect(await doctorChecks(harness.environment(changes))).toContainEqual(
      expect.objectContaining({ about, state: "fault", away: true }),
    );
  });

  it("lists settings that are missing and still looks at the database", async () => {
    const harness = await startHarness();
    const lines = await doctor({ DATABASE_URL: harness.databaseUrl });
    expect(lines).toContainEqual(expect.stringMatching(/^FAULT {2}settings: SNS_TOPIC_ARN is missing/));
    expect(lines).toContain("ok     schema: current");
  });

  it("finds a database that does not answer, and goes on", async () => {
    const harness = await startHarness();
    const lines = await doctor(harness.environment({ DATABASE_URL: "postgres://a:hush-hush@127.0.0.1:1/x" }));
    expect(lines).toContainEqual(expect.stringMatching(/^FAULT {2}database: cannot be used: /));
    expect(lines).toContain("ok     provider of default: it answers, and takes the key");
  });

  it("finds a schema that is behind, and partitions that are missing", async () => {
    const harness = await startHarness();
    await harness.query("delete from kysely_migration where name = '0005_replays'");
    const lines = await doctor(harness.environment());
    expect(lines).toContain("FAULT  schema: behind by 0005_replays. Run: invoice-relay migrate");
    expect(lines).toContainEqual(
      expect.stringMatching(/^FAULT {2}partitions: missing: callback_.*invoice-relay migrate$/),
    );
  });

  it("finds a database that an earlier version made, and so do migrate and serve", async () => {
    const harness = await startHarness();
    await harness.query("update kysely_migration set name = '0001_log' where name = '0001_callback'");
    const says = "made by an earlier version of invoice-relay, whose migrations this one does not continue";
    expect(await doctor(harness.environment())).toContainEqual(
      expect.stringMatching(new RegExp(`^FAULT {2}schema: ${says}\\. Name an empty database`)),
    );
    for (const command of ["migrate", "serve"]) {
      const { code, stderr } = await runCli([command], harness.environment());
      expect(code).toBe(1);
      expect(stderr).toContain(`The database was ${says}. Name an empty database in DATABASE_URL`);
    }
  });

  it("finds a database that would forget an answered callback in a crash (G1)", async () => {
    const harness = await startHarness();
    const [server] = await harness.query<{ fsync: string }>("select current_setting('fsync') as fsync");
    const lines = await doctor(harness.environment());
    expect(lines.filter((line) => line.startsWith("FAULT  database: fsync is off"))).toHaveLength(
      server?.fsync === "off" ? 1 : 0,
    );
  });

  it("warns once that the rules by which text is sorted have changed below the indexes", async () => {
    const harness = await startHarness();
    const name = new URL(harness.databaseUrl).pathname.slice(1);
    await harness.query("update pg_database set datcollversion = '0' where datname = $1", [name]);
    const told = (await doctor(harness.environment())).filter((line) => line.includes("reindex database"));
    expect(told).toEqual([expect.stringMatching(/^look {3}database: /)]);
  });

  it.each([
    [401, `Bad key ${KEY}`, "it refuses the key. Check COLLECTION_API_KEY"],
    [
      403,
      "A Test key cannot do that",
      "it knows the key, which is of the wrong kind. Check COLLECTION_API_KEY",
    ],
    [403, "The collection is suspended", "it takes the key, but the collection is closed."],
    [403, "This key may not do that", "it refuses the key. Check COLLECTION_API_KEY"],
  ])("tells refusals apart: %i, %s", async (status, message, words) => {
    const harness = await startHarness();
    harness.provider.otherwise({ status, body: { status, message, errors: [] } });
    const lines = await doctor(harness.environment());
    expect(lines.find((line) => line.startsWith(`FAULT  provider of default: ${words}`))).toBeDefined();
  });

  it("finds a collection that the provider does not know, and one that is closed", async () => {
    const harness = await startHarness();
    const [missing, closed] = [randomUUID(), randomUUID()];
    harness.provider.collection(closed, collection(closed, { status: "Disabled" }));
    const lines = await doctor(harness.environment({ COLLECTION_IDS: `${missing},${closed}` }));
    expect(lines).toContain(
      `FAULT  provider of default: it does not know collection ${missing}. Check COLLECTION_IDS`,
    );
    expect(lines).toContain(
      'look   provider of default: the key opens collection "Term 1", whose status is Disabled',
    );
  });

  it("finds a topic that does not exist, one in another region, and looks at the test topic", async () => {
    const harness = await startHarness();
    const gone = `${harness.topicArn}-gone`;
    const lines = await doctor(
      harness.environment({ SNS_TOPIC_ARN: gone, SNS_TEST_TOPIC_ARN: harness.testTopicArn }),
    );
    expect(lines).toContainEqual(expect.stringContaining(`FAULT  topic: ${gone}: NotFound`));
    expect(lines).toContain(
      `look   test topic: ${harness.testTopicArn} is there, and nobody is subscribed to it`,
    );

    const elsewhere = await doctor(harness.environment({ AWS_REGION: "eu-west-1" }));
    expect(elsewhere).toContain(
      `FAULT  topic: ${harness.topicArn} is in us-east-1, and AWS_REGION is eu-west-1. They must be the same`,
    );
  });

  it("finds that there are no AWS credentials", async () => {
    const harness = await startHarness();
    const none = {
      AWS_ACCESS_KEY_ID: "",
      AWS_SECRET_ACCESS_KEY: "",
      AWS_EC2_METADATA_DISABLED: "true",
      HOME: "/nowhere",
    };
    const lines = await doctor({ ...harness.environment(), ...none }, runCliProcess);
    expect(lines).toContainEqual(expect.stringMatching(/^FAULT {2}topic: .*CredentialsProviderError/));
  });

  it("with --json says the same to programs", async () => {
    const harness = await startHarness();
    const { code, stdout } = await runCli(["doctor", "--json"], {
      ...AWS,
      ...harness.environment({ COLLECTION_API_URL: "http://127.0.0.1:1" }),
    });
    expect(code).toBe(1);
    const { healthy, checks } = JSON.parse(stdout);
    expect(healthy).toBe(false);
    expect(checks).toContainEqual({ about: "schema", state: "ok", says: "current" });
    expect(checks).toContainEqual(expect.objectContaining({ about: "provider of default", state: "fault" }));
  });
});
