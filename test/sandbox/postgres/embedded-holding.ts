import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

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

/** Whether a process runs; one that only waits for its parent to ask how it ended does not. */
export function isAlive(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return /^[^Z\s]/.test(stdout.trim());
}
