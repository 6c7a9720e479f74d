import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { startEmbeddedPostgres } from "../../../src/sandbox/postgres/start-embedded-postgres.ts";

/** A PostgreSQL of the run's own that can be taken away and given back. */
export interface PostgresServer {
  /** Where it listens now; another one after a restart, maybe. */
  readonly port: number;
  /** `postgres://…` of its superuser and the database `postgres`. */
  readonly url: string;
  /** `fast` ends all sessions in order, `immediate` leaves them in the middle and recovers at the next start. */
  stop(how: "fast" | "immediate"): Promise<void>;
  start(): Promise<void>;
}

/** The embedded PostgreSQL in a folder, with commits that wait for the disk, unless `durable` is false. */
export async function embeddedServer(dataDir: string, durable = true): Promise<PostgresServer> {
  let running = await startEmbeddedPostgres({ dataDir, durable });
  return {
    get port() {
      return running.port;
    },
    get url() {
      return onDatabase(running.url, "postgres");
    },
    async stop(how) {
      if (how === "immediate") {
        const pid = await readFile(join(dataDir, "cluster/postmaster.pid"), "utf8");
        process.kill(Number(pid.split("\n")[0]), "SIGQUIT");
      }
      await running.stop();
    },
    async start() {
      running = await startEmbeddedPostgres({ dataDir, durable, port: running.port });
    },
  };
}

/** The same server's other database. */
export function onDatabase(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

/** Runs statements on a connection of their own, one after the other; gives the last one's rows. */
export async function runOn<Row extends pg.QueryResultRow>(
  url: string,
  ...statements: readonly string[]
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, options: "-c timezone=UTC -c datestyle=ISO" });
  client.on("error", () => {});
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) rows = (await client.query<Row>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** Makes an empty database, or a copy of another one. @returns its name. */
export async function makeDatabase(url: string, template = "template0"): Promise<string> {
  const name = `faults_${randomBytes(6).toString("hex")}`;
  await runOn(url, `create database ${name} template ${template} encoding 'UTF8'`);
  return name;
}
