import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished, vi } from "vitest";
import { connect, migrateToLatest } from "../../src/platform/database/index.ts";
import { Secret } from "../../src/platform/values/mask.ts";
import { onCall } from "../../test/support/on-call.ts";
import { runOn } from "../../test/support/postgres-server.ts";
import { startHarness } from "../../test/support/relay.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { folderOfPostgres, newCluster } from "../environment/debian-cluster.ts";

const execute = promisify(execFile);
const DISK_BYTES = 96 * 1024 * 1024;

/** Debian's PostgreSQL 15 on a small in-memory disk that can be filled. */
async function serverOnSmallDisk(folder: string) {
  const disk = await folderOfPostgres(join(folder, "disk"));
  await execute("mount", ["-t", "tmpfs", "-o", `size=${DISK_BYTES},mode=0755`, "tmpfs", disk]);
  const password = randomBytes(18).toString("base64url");
  const cluster = await newCluster(join(disk, "server"), password);
  await cluster.start();
  const filler = join(disk, "filler");
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${cluster.port}/postgres`,
    /** @returns what frees it. */
    async fillDisk() {
      // dd is expected to fail, because it fills the disk.
      await execute("dd", ["if=/dev/zero", `of=${filler}`, "bs=64k"]).catch(() => undefined);
      return async () => {
        await rm(filler, { force: true });
        // Postgres exits when it cannot write its log, and is then started again, as a supervisor would.
        if (!(await cluster.isRunning())) await cluster.start();
      };
    },
    async close() {
      if (await cluster.isRunning()) await cluster.stop("immediate");
      await execute("umount", [disk]);
    },
  };
}

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

  const free = await server.fillDisk();
  await vi.waitFor(async () => expect((await send()).status).toBe(503), { interval: 200 });
  await watch.saysSo("recording_failing", "53100");

  await free();
  await watch.clears("recording_failing");
  expect((await send()).status).toBe(200);
  expect(
    await runOn(
      server.url,
      "select cleared_at > raised_at as over from alarm where name = 'recording_failing'",
    ),
  ).toEqual([{ over: true }]);
});
