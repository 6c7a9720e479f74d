import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";

export interface Program {
  /** Everything that it printed so far. */
  printed(): string;
  stop(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Starts a program with nothing of this shell but PATH and HOME. */
export function start(
  [program, ...words]: readonly [string, ...string[]],
  { env, cwd }: { env: Environment; cwd?: string },
): Program {
  const { PATH, HOME } = process.env;
  // A group of its own: the emulator's runtime is a child of it.
  const child = spawn(program, words, { cwd, env: { PATH, HOME, ...env }, detached: true });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      printed += chunk;
    });
  const ended = new Promise<void>((done) => child.once("close", () => done()).once("error", () => done()));
  return {
    printed: () => printed,
    async stop() {
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      await ended;
    },
  };
}

const TIMEOUT_MS = 120_000;

/** Looks until something is so. @throws Error that names it after two minutes. */
export async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + TIMEOUT_MS; !(await look()); await pause(100))
    if (Date.now() > end) throw new Error(`${what} did not come about`);
}

/** Waits until something answers at an address, whatever it says. */
export const answering = (url: string): Promise<void> =>
  until(`an answer of ${url}`, () =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  );
