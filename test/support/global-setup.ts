import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../../src/database/embedded/start-embedded-postgres.ts";
import { makeTemplateDatabase } from "./database.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A database server on which `invoice_relay_test_*` databases may be made and dropped. */
    databaseServerUrl: string;
    /** The migrated database that `createTestDatabase` clones. */
    templateDatabase: string;
  }
}

/** One server for the whole run: the one in DATABASE_URL, or an embedded one that is gone afterwards. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await serverForThisRun();
  const template = await makeTemplateDatabase(server.url).catch(async (error) => {
    await server.stop();
    throw error;
  });
  project.provide("databaseServerUrl", server.url);
  project.provide("templateDatabase", template.name);
  return async () => {
    await template.drop();
    await server.stop();
  };
}

async function serverForThisRun(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.DATABASE_URL;
  if (given !== undefined && given !== "") return { url: given, stop: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), "invoice-relay-test-"));
  const embedded = await startEmbeddedPostgres({ dataDir: folder, durable: false });
  return {
    url: embedded.url,
    stop: async () => {
      await embedded.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
