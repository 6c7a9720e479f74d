import { chmod, mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../../src/sandbox/postgres/start-embedded-postgres.ts";
import { beginDatabaseRun, endDatabaseRun } from "./database.ts";

/** One server for the whole run: the one in TEST_DATABASE_URL, or an embedded one that is gone afterwards. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await serverForThisRun(project.name);
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

async function serverForThisRun(projectName: string): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.TEST_DATABASE_URL;
  if (given !== undefined && given !== "") return { url: given, stop: async () => {} };
  const folder = await mkdtemp(join(await quickestFolder(), "invoice-relay-test-"));
  // Where root has to run Postgres as nobody, nobody must be able to enter.
  await chmod(folder, 0o711);
  const embedded = await startEmbeddedPostgres({ dataDir: folder, durable: false });
  // Java's driver, which the lab runs, takes no fewer rounds than Postgres' own 4,096.
  if (projectName !== "lab") await loginInOneRound(embedded.url);
  return {
    url: embedded.url,
    stop: async () => {
      await embedded.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Thousands of sessions log in: hashing the password so often, at both ends, is half of what each costs. */
async function loginInOneRound(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `set scram_iterations = 1; alter user postgres password '${new URL(url).password}'; reset scram_iterations`,
  );
  await client.end();
}

/** Hundreds of databases are cloned, 300 files each: where memory serves as a disk with 4 GiB left, there. */
async function quickestFolder(): Promise<string> {
  const memory = await statfs("/dev/shm").catch(() => null);
  return memory !== null && memory.bavail * memory.bsize > 4 * 1024 ** 3 ? "/dev/shm" : tmpdir();
}
