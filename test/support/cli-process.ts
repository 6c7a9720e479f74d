import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { CommandContext } from "../../src/interfaces/cli/command-context.ts";
import { runProgram } from "../../src/interfaces/cli/program.ts";
import { onTestFinished } from "./own-test.ts";

const MAIN = resolve(import.meta.dirname, "../../src/interfaces/cli/main.ts");

/** Many processes load the same modules: compiled once, they start in half the time. */
const COMPILED = resolve(import.meta.dirname, "../../node_modules/.cache/test-compile-cache");

export type CliProcess = ReturnType<typeof startCli>;

/**
 * The command line as a process of its own, with this environment and nothing of ours; ended with the test.
 */
export function startCli(words: readonly string[], environment: Record<string, string | undefined> = {}) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: { PATH, HOME, NODE_COMPILE_CACHE: COMPILED, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  /** What it wrote so far. */
  const output = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      output[stream] += text;
    });
  /** Its end, with the exit code, null after a signal. */
  const ended = once(child, "close").then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    child,
    output,
    ended,
    /** Waits until its output holds the text, as long as it lives. */
    says: (text: string, stream: "stdout" | "stderr" = "stdout"): Promise<void> =>
      untilSaid(() => output[stream].includes(text), { child, ended, output }),
  };
}

/**
 * Waits until the process has said what is looked for: for nothing but what it says, and its end. How long a
 * start takes depends on the machine.
 * @throws Error with what it said instead, when it ended.
 */
export async function untilSaid(
  isSaid: () => boolean,
  { child, ended, output }: { child: ChildProcess; ended: Promise<unknown>; output: object },
): Promise<void> {
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (!isSaid()) {
    if (isOver) throw new Error(`it ended without saying so, but said: ${Object.values(output).join("")}`);
    const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
    await Promise.race([ended, ...streams.map((stream) => once(stream, "data"))]);
  }
}

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Whether a person reads what is written, and what that person answers. */
interface Terminal {
  isTTY?: boolean;
  stdin?: Readable & { isTTY: boolean };
}

/** What a command runs in, in this process; it keeps what the command says. */
export function cliContext(
  environment: Record<string, string | undefined> = {},
  { isTTY = false, stdin }: Terminal = {},
) {
  const said = { stdout: "", stderr: "" };
  const output = (name: keyof typeof said) => ({
    isTTY,
    write: (text: string) => {
      said[name] += text;
    },
  });
  const signals = Object.assign(new EventEmitter(), { exit: () => undefined });
  const context = new CommandContext({
    environment: { ...environment },
    stdout: output("stdout"),
    stderr: output("stderr"),
    signals,
    stdin,
  });
  return { context, said, signals };
}

/**
 * Runs one command line to its end in this process: a process of its own takes half a second to start, and
 * differs only in what main.ts does.
 */
export async function runCli(
  words: readonly string[],
  environment: Record<string, string | undefined> = {},
  terminal: Terminal = {},
): Promise<CliResult> {
  const { context, said } = cliContext(environment, terminal);
  const code = await runProgram(words, context);
  return { code, ...said };
}

/** The same in a process of its own: for what the process itself is to prove. */
export async function runCliProcess(
  words: readonly string[],
  environment: Record<string, string | undefined> = {},
): Promise<CliResult> {
  const { ended, output } = startCli(words, environment);
  return { code: await ended, ...output };
}
