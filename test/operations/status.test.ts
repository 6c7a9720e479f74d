import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { pause } from "../../src/operations/pause.ts";
import { addCertificate } from "../support/certificates.ts";
import { runCli } from "../support/cli-process.ts";
import { eventually, toHaveLength, toMatchObject } from "../support/eventually.ts";
import { addProcess, withDatabase } from "../support/log-rows.ts";
import { startHarness, startRelay } from "../support/relay.ts";
import { withStatus } from "./with-status.ts";

// The words: test/interfaces/cli/golden/status.txt and nothing-yet.txt.
const COLLECTIONS = { COLLECTION_IDS: "none" };

const look = async (environment: Record<string, string | undefined>) => {
  const { code, stdout } = await runCli(["status", "--json"], environment);
  return { code, ...JSON.parse(stdout) };
};

it("status is there before anything has happened, with only DATABASE_URL set; nothing needs a person before a callback came", async () => {
  const harness = await startHarness();
  const quiet = {
    code: 0,
    needsPerson: false,
    actionItems: [],
    openAlarms: [],
    processes: [],
    lastCallbackAt: null,
  };
  expect(await look({ DATABASE_URL: harness.databaseUrl })).toMatchObject(quiet);
  // Payments may have: sweeps find them without.
  await addProcess(harness);
  await harness.query("insert into source (name) values ('default')");
  expect(await look(harness.environment(COLLECTIONS))).toMatchObject({ ...quiet, processes: [{}] });
});

it("status shows the processes that serve while they do, and needs nobody once a payment is through", async () => {
  const harness = await startHarness();
  const environment = harness.environment(COLLECTIONS);
  const relay = await startRelay(environment);
  await relay.callback({ data: { id: harness.provider.paid() } });
  await eventually(() => harness.sns.messages(), toHaveLength(1));
  const processes = [{ http: true, workers: true, lives: true }];
  await eventually(() => look(environment), toMatchObject({ code: 0, needsPerson: false, processes }));
  await relay.stop();
  expect(await harness.query("select 1 from relay_process")).toEqual([]);
});

it("a forgotten pause needs a person: by whom, why, since when; one that ends by itself does not", async () => {
  const { harness, db } = await withDatabase();
  const environment = harness.environment(COLLECTIONS);
  await addProcess(harness);
  await harness.query("insert into source (name) values ('default')");
  const paused = { db, actor: "cli:ada", work: "confirm", names: "all", reason: "their deploy" } as const;
  const held = [{ actor: "cli:ada", pauseReason: "their deploy", pausedAt: expect.any(String) }];
  await pause(paused);
  const remedy = { operation: "resume", args: { work: "confirm", source: "default" } };
  expect(await look(environment)).toMatchObject({
    code: 1,
    openAlarms: [{ name: "pause_standing", remedy }],
    held,
  });
});

it("says that migrations are missing, to a command and to who asks a relay that runs", async () => {
  const { harness, status } = await withStatus();
  await harness.query("delete from kysely_migration where name = (select max(name) from kysely_migration)");
  expect((await status()).actionItems).toMatchObject([
    { severity: "critical", remedy: { operation: "migrate" } },
  ]);
  expect(await look(harness.environment())).toMatchObject({ code: 1, error: { code: "failed" } });
});

it("finds what is not reconciled: COLLECTION_IDS unset, a certificate that is not equal", async () => {
  const harness = await startHarness();
  const now = new Date();
  await addCertificate(harness.databaseUrl, {
    ...{ from: new Date(+now - 35 * 86_400_000).toISOString(), to: now.toISOString() },
    ...{ day: now.toISOString().slice(0, 10), result: "not_equal", gaps: 2, collections: [randomUUID()] },
  });
  const actionItems = [{ severity: "warning", what: expect.stringContaining("not reconciled") }];
  expect(await look(harness.environment())).toMatchObject({ code: 1, actionItems, unproven: [{ gaps: 2 }] });
});
