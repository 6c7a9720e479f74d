import { chmod, mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../../src/sandbox/postgres/start-embedded-postgres.ts";
import { beginDatabaseRun, endDatabaseRun } from "./database.ts";

/** One server for the whole run: the one in TEST_DATABASE_URL, or an embedded one that is gone afterwards. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await serverForThisRun();
  try {
    const run = await beginDatabaseRun(server.url);
    project.provide("databaseRun", run);
    return async () => {
      await endDatabaseRun(run);
      await server.stop();
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function serverForThisRun(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.TEST_DATABASE_URL;
  if (given !== undefined && given !== "") return { url: given, stop: async () => {} };
  const folder = await mkdtemp(join(await quickestFolder(), "invoice-relay-test-"));
  // Where root has to run Postgres as nobody, nobody must be able to enter.
  await chmod(folder, 0o711);
  const embedded = await startEmbeddedPostgres({ dataDir: folder, durable: false });
  return {
    url: embedded.url,
    stop: async () => {
      await embedded.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const ROOM_FOR_DATABASES = 4 * 1024 ** 3;

/**
 * Hundreds of databases are cloned, 300 files each: where memory serves as a disk with room enough, there.
 */
async function quickestFolder(): Promise<string> {
  const memory = await statfs("/dev/shm").catch(() => null);
  return memory !== null && memory.bavail * memory.bsize > ROOM_FOR_DATABASES ? "/dev/shm" : tmpdir();
}
