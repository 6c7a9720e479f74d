import { execFile } from "node:child_process";
import { readFile, readlink, realpath, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { RelayError } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";

const execute = promisify(execFile);

/**
 * Stops the Postgres that an earlier owner of this cluster left running when it was killed. The pid in
 * `postmaster.pid` may be another program's by now, or come with a copied folder: only a process that is
 * named postgres and works in this very folder is touched. Call it only while holding the data dir's lock.
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
  const folder = await realpath(cluster);
  if (process.platform !== "linux") {
    const name = await outputOf("ps", ["-o", "comm=", "-p", String(pid)]);
    const files = await outputOf("lsof", ["-a", "-p", String(pid), "-d", "cwd", "-Fn"]);
    return basename(name.trim()) === "postgres" && files.split("\n").includes(`n${folder}`);
  }
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
  if ((await read("comm")).trim() !== "postgres") return false;
  const workingFolder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  if (workingFolder !== undefined) return workingFolder === folder;
  // Root in a container may not look at another user's working folder; the command line is open to all.
  return (await read("cmdline")).split("\0").includes(folder);
}

const outputOf = (program: string, args: string[]) =>
  execute(program, args).then(
    ({ stdout }) => stdout,
    () => "",
  );
