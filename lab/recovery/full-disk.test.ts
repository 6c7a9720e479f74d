import { expect, it, onTestFinished, vi } from "vitest";
import { connect } from "../../src/database/connect.ts";
import { migrateToLatest } from "../../src/database/migrate.ts";
import { Secret } from "../../src/kit/secret.ts";
import { clears, isTold, onCall, saysSo, WAIT } from "../../test/journeys/drill.ts";
import { runOn } from "../../test/support/postgres-server.ts";
import { startHarness } from "../../test/support/relay.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { serverOnSmallDisk } from "../environment/debian-servers.ts";

const ALARM = 'invoice_relay_alarms_open{alarm="recording_failing"} 1';

it("a real disk that fills, and is freed: told within seconds, and over by itself (G1, G2, G13)", async () => {
  const folder = await temporaryFolder();
  const server = await serverOnSmallDisk(folder);
  onTestFinished(() => server.close());
  const { db, close } = connect(new Secret(server.url), { max: 1 });
  await migrateToLatest(db, "relay");
  await close();
  const harness = await startHarness();
  const watch = await onCall(harness.environment({ COLLECTION_IDS: "none", DATABASE_URL: server.url }));
  const readyz = async () => (await fetch(`${watch.relay.opsUrl}/readyz`)).status;
  // Larger than a page: each callback has to have new room.
  const send = () => watch.relay.callback(`{"note":"${crypto.randomUUID().repeat(600)}"}`);
  expect((await send()).status).toBe(200);

  const free = await server.fillDisk?.();
  await vi.waitFor(async () => expect((await send()).status).toBe(503), WAIT);
  await vi.waitFor(async () => expect(await readyz()).toBe(503), WAIT);
  await saysSo(watch, /^A person is needed: .*callbacks cannot be recorded: Postgres' disk is full/, ALARM);
  await isTold(watch, "recording_failing");
  expect(watch.receiver.messages.map(({ text }) => text).join()).toMatch(/disk is full/);
  expect(watch.relay.lines.filter(({ alarm }) => alarm === "recording_failing")).toMatchObject([
    { level: "error", msg: expect.stringMatching(/disk is full/) },
  ]);

  await free?.();
  await vi.waitFor(async () => expect(await readyz()).toBe(200), WAIT);
  await clears(watch, "recording_failing", ALARM);
  expect((await send()).status).toBe(200);
  expect(
    await runOn(
      server.url,
      "select cleared_at > raised_at as over from alarm where name = 'recording_failing'",
    ),
  ).toEqual([{ over: true }]);
});
