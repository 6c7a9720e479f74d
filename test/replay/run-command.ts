import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { resolve } from "node:path";
import { onTestFinished } from "vitest";
import { Door } from "../../src/cli/door.ts";
import { runProgram } from "../../src/cli/program.ts";

const MAIN = resolve(import.meta.dirname, "../../src/cli/main.ts");

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunningCommand {
  child: ChildProcess;
  ended: Promise<CommandResult>;
}

/** The command line as a process of its own; killed when the test is over, if it still lives. */
export function startCommand(
  words: readonly string[],
  environment: Record<string, string | undefined> = {},
): RunningCommand {
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: {
      PATH: process.env.PATH,
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<CommandResult>((done) =>
    child.once("close", (code) => done({ code, stdout, stderr })),
  );
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, ended };
}

export const runCommand = (words: readonly string[], environment?: Record<string, string | undefined>) =>
  startCommand(words, environment).ended;

/** The same command line without a process of its own, which takes a second to start. */
export async function runInProcess(
  words: readonly string[],
  environment: Record<string, string | undefined> = {},
): Promise<CommandResult> {
  const written = { stdout: "", stderr: "" };
  const output = (name: "stdout" | "stderr") => ({
    write: (text: string) => {
      written[name] += text;
    },
  });
  const signals = Object.assign(new EventEmitter(), { exit: () => undefined });
  const door = new Door({ environment, stdout: output("stdout"), stderr: output("stderr"), signals });
  const code = await runProgram(words, door);
  return { code, ...written };
}
