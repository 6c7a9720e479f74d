import { EventEmitter } from "node:events";
import { CommandContext } from "../../src/cli/command-context.ts";
import { runProgram } from "../../src/cli/program.ts";
import { runCli, startCli } from "./cli-process.ts";

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** AWS' own settings, so that commands can reach a local SNS. */
const CREDENTIALS = { AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };

/** The command line as a process of its own; killed when the test is over, if it still lives. */
export const startCommand = (words: string[], environment: Record<string, string | undefined> = {}) =>
  startCli(words, { ...CREDENTIALS, ...environment });

export const runCommand = (words: string[], environment: Record<string, string | undefined> = {}) =>
  runCli(words, { ...CREDENTIALS, ...environment });

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
  const context = new CommandContext({
    environment,
    stdout: output("stdout"),
    stderr: output("stderr"),
    signals,
  });
  const code = await runProgram(words, context);
  return { code, ...written };
}
