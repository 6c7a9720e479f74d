import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { startEmbeddedPostgres } from "../../src/sandbox/postgres/start-embedded-postgres.ts";
import { TcpProxy } from "./tcp-proxy.ts";

/** A PostgreSQL of the run that can be stopped and started again at the same address. */
export interface PostgresServer {
  /** `postgres://…` of its superuser and the database `postgres`. */
  readonly url: string;
  /**
   * `fast` ends all sessions cleanly; `immediate` aborts them, and the next start recovers.
   */
  stop(how: "fast" | "immediate"): Promise<void>;
  start(): Promise<void>;
  /** Kills the primary, and the standby takes over; only for a pair. */
  failOver?(): Promise<void>;
  /** Stopped for good. */
  close(): Promise<void>;
}

/** The embedded PostgreSQL in a folder; commits wait for the disk unless `durable` is false. */
export async function embeddedServer(dataDir: string, durable = true): Promise<PostgresServer> {
  let running = await startEmbeddedPostgres({ dataDir, durable });
  // Another process may have its port when it starts again.
  const front = await TcpProxy.start(running.port);
  return {
    url: onDatabase(front.through(running.url), "postgres"),
    async stop(how) {
      if (how === "immediate") {
        const pid = await readFile(join(dataDir, "cluster/postmaster.pid"), "utf8");
        process.kill(Number(pid.split("\n")[0]), "SIGQUIT");
      }
      await running.stop();
    },
    async start() {
      running = await startEmbeddedPostgres({ dataDir, durable, port: running.port });
      front.moveTo(running.port);
    },
    async close() {
      await front.close();
      await running.stop();
    },
  };
}

/** A foreign server, which is not stopped: only connections to it are cut. */
export async function lentServer(url: string): Promise<PostgresServer> {
  const port = Number(new URL(url).port);
  const front = await TcpProxy.start(port);
  return {
    url: onDatabase(front.through(url), "postgres"),
    stop: async () => front.moveTo(0),
    start: async () => front.moveTo(port),
    close: () => front.close(),
  };
}

/** The URL of another database on the same server. */
export function onDatabase(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

/** Runs statements one by one on a new connection. @returns the rows of the last one. */
export async function runOn<Row extends pg.QueryResultRow>(
  url: string,
  ...statements: readonly string[]
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, options: "-c timezone=UTC -c datestyle=ISO" });
  client.on("error", () => {});
  try {
    await client.connect();
    let rows: Row[] = [];
    for (const statement of statements) rows = (await client.query<Row>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** Creates an empty database, or a copy of another one. @returns its name. */
export async function makeDatabase(url: string, template = "template0"): Promise<string> {
  const name = `faults_${randomBytes(6).toString("hex")}`;
  await runOn(url, `create database ${name} template ${template} encoding 'UTF8'`);
  return name;
}
