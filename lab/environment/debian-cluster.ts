import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { ownPort } from "../../test/support/own-port.ts";

const execute = promisify(execFile);
const DEBIANS = "/usr/lib/postgresql/15/bin";

/** A cluster of a real PostgreSQL, Debian's 15 unless told otherwise, that runs as the user `postgres`; the caller is root. */
export interface DebianCluster {
  readonly port: number;
  start(): Promise<void>;
  stop(how: "fast" | "immediate"): Promise<void>;
  /** Kills its postmaster, as when a machine dies. */
  kill(): Promise<void>;
  isRunning(): Promise<boolean>;
}

const SETTINGS =
  "-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 -c timezone=Asia/Kolkata";

/** Runs one of PostgreSQL's programs as the user `postgres`: Debian's, or the one at a whole path. */
export async function asPostgres(program: string, ...args: string[]): Promise<void> {
  const command = ["-u", "postgres", "--", resolve(DEBIANS, program), ...args];
  // Processes that Postgres leaves running must not keep our pipes open.
  await execute("runuser", command, { cwd: "/", timeout: 60_000 });
}

/** Gives a folder to the user `postgres`. */
export async function folderOfPostgres(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await execute("chown", ["postgres:", folder]);
  await execute("chmod", ["700", folder]);
  return folder;
}

interface ClusterOptions {
  /** The folder of PostgreSQL's programs. */
  bin?: string;
  /** More of the server's options, as `-c name=value`. */
  settings?: string;
}

/**
 * Creates a cluster in `<folder>/cluster` with the superuser `postgres` and this password, without starting
 * it.
 */
export async function newCluster(
  folder: string,
  password: string,
  { bin = DEBIANS, settings = "" }: ClusterOptions = {},
): Promise<DebianCluster> {
  await folderOfPostgres(folder);
  const file = join(folder, "password");
  await writeFile(file, password, { mode: 0o600 });
  await execute("chown", ["postgres:", file]);
  const data = join(folder, "cluster");
  const login = ["-U", "postgres", "--auth=scram-sha-256", `--pwfile=${file}`];
  const rest = ["--encoding=UTF8", "--locale=C", "--wal-segsize=1", "--no-sync", "--no-instructions"];
  await asPostgres(join(bin, "initdb"), "-D", data, ...login, ...rest);
  return await clusterIn(folder, { bin, settings });
}

/** Copies a running cluster into a folder as a base backup, without starting it. */
export async function newCopy(folder: string, url: string, ...more: string[]): Promise<DebianCluster> {
  await folderOfPostgres(folder);
  const data = join(folder, "cluster");
  await asPostgres("pg_basebackup", "-D", data, "-d", url, "-X", "stream", "-c", "fast", ...more);
  return await clusterIn(folder);
}

/** Copies a running cluster into a folder as its standby, named `standby`, without starting it. */
export async function newStandby(folder: string, primaryUrl: string): Promise<DebianCluster> {
  const from = new URL(primaryUrl);
  from.searchParams.set("application_name", "standby");
  return await newCopy(folder, from.href, "-R");
}

/** Promotes the standby. */
export const promote = (folder: string): Promise<void> =>
  asPostgres("pg_ctl", "-D", join(folder, "cluster"), "-w", "promote");

async function clusterIn(
  folder: string,
  { bin = DEBIANS, settings = "" }: ClusterOptions = {},
): Promise<DebianCluster> {
  const data = join(folder, "cluster");
  const port = await ownPort();
  const control = (...words: string[]) =>
    asPostgres(join(bin, "pg_ctl"), "-D", data, "-w", "-t", "50", ...words);
  const pidOf = async () => Number((await readFile(join(data, "postmaster.pid"), "utf8")).split("\n")[0]);
  // A killed server is a zombie until its parent notices: pg_ctl would wait for its end in vain.
  const isAlive = async () =>
    await readFile(`/proc/${await pidOf()}/stat`, "utf8").then(
      (stat) => !/\) Z /.test(stat),
      () => false,
    );
  return {
    port,
    start: () => control("-l", join(folder, "log"), "-o", `${SETTINGS} ${settings} -c port=${port}`, "start"),
    stop: (how) => control("-m", how, "stop"),
    kill: async () => void process.kill(await pidOf(), "SIGKILL"),
    isRunning: () => control("status").then(isAlive, () => false),
  };
}
