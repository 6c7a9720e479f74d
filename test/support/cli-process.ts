import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { vi } from "vitest";
import { onTestFinished } from "./own-test.ts";

const MAIN = resolve(import.meta.dirname, "../../src/cli/main.ts");

/** Many processes load the same modules: compiled once, they start in half the time. */
const COMPILED = resolve(import.meta.dirname, "../../node_modules/.cache/test-compile-cache");

export interface CliProcess {
  readonly child: ChildProcess;
  /** What it wrote so far. */
  readonly output: { stdout: string; stderr: string };
  /** Waits until its output holds the text. */
  says(text: string, stream?: "stdout" | "stderr"): Promise<void>;
  /** Waits for its end. @returns the exit code, null after a signal. */
  ended: Promise<number | null>;
}

/**
 * The command line as a process of its own, with this environment and nothing of ours; ended with the test.
 */
export function startCli(
  words: readonly string[],
  environment: Record<string, string | undefined> = {},
): CliProcess {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: { PATH, HOME, NODE_COMPILE_CACHE: COMPILED, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    child,
    output,
    ended,
    says: (text, stream = "stdout") =>
      vi.waitFor(
        () => {
          if (!output[stream].includes(text))
            throw new Error(`it did not say "${text}" but: ${output.stdout}${output.stderr}`);
        },
        { timeout: 60_000, interval: 20 },
      ),
  };
}

/** Runs one command line to its end. */
export async function runCli(
  words: readonly string[],
  environment: Record<string, string | undefined> = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { ended, output } = startCli(words, environment);
  const code = await ended;
  return { code, ...output };
}
