import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { startEmbeddedPostgres } from "../../../src/sandbox/postgres/start-embedded-postgres.ts";
import { TcpProxy } from "../network/tcp-proxy.ts";

/** A PostgreSQL of the run's own that can be taken away and given back, always at the same address. */
export interface PostgresServer {
  /** `postgres://…` of its superuser and the database `postgres`. */
  readonly url: string;
  /**
   * `fast` ends all sessions in order, `immediate` leaves them in the middle and recovers at the next start.
   */
  stop(how: "fast" | "immediate"): Promise<void>;
  start(): Promise<void>;
  /** The primary is killed and its standby takes over; only of a pair. */
  failOver?(): Promise<void>;
  /** No room is left on its disk, then there is room again; only of one with a small disk. */
  fillDisk?(): Promise<() => Promise<void>>;
  /** Stopped for good. */
  close(): Promise<void>;
}

/** The embedded PostgreSQL in a folder, with commits that wait for the disk, unless `durable` is false. */
export async function embeddedServer(dataDir: string, durable = true): Promise<PostgresServer> {
  let running = await startEmbeddedPostgres({ dataDir, durable });
  // Its port may be another's when it starts again.
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

/** Somebody else's server, which stays where it is: only the way to it is cut. */
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
  try {
    await client.connect();
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
