import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";

const execute = promisify(execFile);

export interface Holding {
  readonly url: string;
  readonly serverPid: number;
  readonly holder: ChildProcess;
  /** Lets the holder stop its Postgres and end. */
  end(): Promise<void>;
}

/**
 * Holds an embedded Postgres in a process of its own.
 * @throws an Error with what the process wrote to stderr when Postgres did not start.
 */
export async function holdInAnotherProcess(dataDir: string): Promise<Holding> {
  const program = join(import.meta.dirname, "embedded-holder.ts");
  const holder = spawn(process.execPath, [program, dataDir], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const complaint = text(holder.stderr);
  const first = await createInterface(holder.stdout)[Symbol.asyncIterator]().next();
  if (first.done === true) throw new Error(await complaint);
  const facts = JSON.parse(first.value) as { url: string; serverPid: number };
  const end = async () => {
    if (holder.exitCode !== null || holder.signalCode !== null) return;
    holder.stdin.end();
    await once(holder, "exit");
  };
  return { ...facts, holder, end };
}

/** Ends a process without a chance to clean up, and waits until it is gone. */
export async function killHard(process: ChildProcess): Promise<void> {
  process.kill("SIGKILL");
  if (process.exitCode === null && process.signalCode === null) await once(process, "exit");
}

/** Ends what watches over a Postgres on its holder's behalf, as an `OOM killer` or a careless hand would. */
export async function killWatcherOf(serverPid: number): Promise<void> {
  const { stdout } = await execute("ps", ["-A", "-o", "pid=,pgid="]);
  const group = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([pid, pgid]) => pgid === serverPid && pid !== serverPid);
  if (group.length === 0) throw new Error(`nothing watches over process ${serverPid}`);
  for (const [pid] of group) process.kill(pid as number, "SIGKILL");
}

/** Whether a process runs; one that only waits for its parent to ask how it ended does not. */
export function isAlive(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return /^[^Z\s]/.test(stdout.trim());
}
