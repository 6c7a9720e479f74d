import { type ChildProcess, spawn } from "node:child_process";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

const MAIN = resolve(import.meta.dirname, "../../src/cli/main.ts");

export interface RelayProcess {
  url: string;
  child: ChildProcess;
  /** Sends the signal and resolves with the exit code, null when the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** `invoice-relay serve` as a process of its own, on a free port; killed when the test is over, if it still lives. */
export async function startRelayProcess(
  environment: Record<string, string | undefined>,
  args: string[] = [],
): Promise<RelayProcess> {
  const child = spawn(process.execPath, [MAIN, "serve", ...args], {
    env: {
      PATH: process.env.PATH,
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
      ...environment,
      PORT: "0",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = new Promise<number | null>((resolveExit) => child.once("exit", resolveExit));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const said: string[] = [];
  child.stderr.setEncoding("utf8").on("data", (text: string) => said.push(text));
  const port = await new Promise<number>((found, failed) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      said.push(line);
      const [, digits] = /"port":(\d+)/.exec(line) ?? [];
      if (digits !== undefined) found(Number(digits));
    });
    void exited.then((code) => failed(new Error(`serve ended with ${code}:\n${said.join("\n")}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    child,
    end: (signal) => {
      child.kill(signal);
      return exited;
    },
  };
}
