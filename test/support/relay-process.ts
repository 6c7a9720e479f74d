import { startCli, untilSaid } from "./cli-process.ts";

/**
 * `invoice-relay serve` as a process of its own, on a free port; killed when the test is over, if it still
 * lives.
 */
export async function startRelayProcess(
  environment: Record<string, string | undefined>,
  ...options: string[]
) {
  const credentials = { AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
  const process = startCli(["serve", ...options], { ...credentials, ...environment, PORT: "0" });
  const port = () => /"(?:port|opsPort)":(\d+)/.exec(process.output.stdout)?.[1];
  await untilSaid(() => port() !== undefined, process);
  return {
    url: `http://127.0.0.1:${port()}`,
    process,
    /** Sends the signal and resolves with the exit code, null when the signal ended it. */
    end: (signal: NodeJS.Signals): Promise<number | null> => {
      process.child.kill(signal);
      return process.ended;
    },
  };
}
