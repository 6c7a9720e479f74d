import { runCli, startCli } from "./cli-process.ts";

/** AWS' own settings, so that commands can reach a local SNS. */
const CREDENTIALS = { AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };

/** The command line as a process of its own; killed when the test is over, if it still lives. */
export const startCommand = (words: string[], environment: Record<string, string | undefined> = {}) =>
  startCli(words, { ...CREDENTIALS, ...environment });

export const runCommand = runCli;
export const runInProcess = runCli;
