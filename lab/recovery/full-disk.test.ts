import { expect, it, onTestFinished, vi } from "vitest";
import { connect } from "../../src/database/connect.ts";
import { migrateToLatest } from "../../src/database/migrate.ts";
import { Secret } from "../../src/kit/secret.ts";
import { onCall } from "../../test/support/on-call.ts";
import { runOn } from "../../test/support/postgres-server.ts";
import { startHarness } from "../../test/support/relay.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { serverOnSmallDisk } from "../environment/debian-servers.ts";

it("a real disk that fills, and is freed: told within seconds, and over by itself (G1, G2, G13)", async () => {
  const folder = await temporaryFolder();
  const server = await serverOnSmallDisk(folder);
  onTestFinished(() => server.close());
  const { db, close } = connect(new Secret(server.url), { max: 1 });
  await migrateToLatest(db, "relay");
  await close();
  const harness = await startHarness();
  const watch = await onCall(harness.environment({ COLLECTION_IDS: "none", DATABASE_URL: server.url }));
  // Larger than a page: each callback has to have new room.
  const send = () => watch.relay.callback(`{"note":"${crypto.randomUUID().repeat(600)}"}`);
  expect((await send()).status).toBe(200);

  const free = await server.fillDisk?.();
  await vi.waitFor(async () => expect((await send()).status).toBe(503), { interval: 200 });
  await watch.saysSo("recording_failing", /disk is full/);

  await free?.();
  await watch.clears("recording_failing");
  expect((await send()).status).toBe(200);
  expect(
    await runOn(
      server.url,
      "select cleared_at > raised_at as over from alarm where name = 'recording_failing'",
    ),
  ).toEqual([{ over: true }]);
});
