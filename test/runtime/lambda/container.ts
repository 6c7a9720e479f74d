import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "../../support/own-test.ts";

/**
 * Starts a handler as a process of its own, gone with the test.
 * @param handler the bundle without its ending, and the export, as in Lambda's settings
 */
export function startContainer(handler: string, environment: Record<string, string | undefined>) {
  const child = spawn(process.execPath, [join(import.meta.dirname, "container-main.ts"), handler], {
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH ?? "",
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
      AWS_LAMBDA_FUNCTION_NAME: "invoice-relay-test",
      ...environment,
    },
  });
  const lines: Record<string, unknown>[] = [];
  let errors = "";
  let waiting: PromiseWithResolvers<unknown> | null = null;
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors += chunk;
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (!line.startsWith("ANSWER ")) return void lines.push(JSON.parse(line));
    const { answer, error } = JSON.parse(line.slice("ANSWER ".length));
    if (error === undefined) waiting?.resolve(answer);
    else waiting?.reject(new Error(error));
  });
  const ended = new Promise<void>((done) => {
    child.once("exit", (code, signal) => {
      waiting?.reject(new Error(`the container ended (${signal ?? code}): ${errors}`));
      done();
    });
  });
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(kill);
  return {
    /**
     * Gives the handler one event.
     * @param sleptMs how long the container was frozen before, by its clock
     * @throws Error when the handler throws, or the container dies first.
     */
    invoke: async <Answer>(event: unknown, { remainingMs = 30_000, sleptMs = 0 } = {}) => {
      waiting = Promise.withResolvers();
      // A test that ends early kills the container before anyone awaits this.
      waiting.promise.catch(() => undefined);
      child.stdin.write(`${JSON.stringify({ event, remainingMs, sleptMs })}\n`);
      return (await waiting.promise) as Answer;
    },
    kill,
    /** What it logged, parsed. */
    lines,
  };
}
