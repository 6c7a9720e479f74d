import { mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readZip } from "../../test/operations/read-zip.ts";
import { ownPort } from "../../test/support/own-port.ts";
import { answering, start } from "./programs.ts";
import { tools } from "./tools.ts";

/** Settings of a deployed function, as Lambda's GetFunction gives them. */
export interface Deployed {
  FunctionName: string;
  Handler: string;
  MemorySize: number;
  Timeout: number;
  Environment: { Variables: Record<string, string> };
}

/**
 * Runs a deployed function under Amazon's emulator and client, as one container that takes one event at a time.
 * @param zip the code that was deployed. @param home an empty folder for it. @param env the way to AWS.
 */
export async function startFunction(
  deployed: Deployed,
  { zip, home, env }: { zip: string; home: string; env: Record<string, string> },
) {
  for (const [file, content] of readZip(await readFile(zip))) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), content);
  }
  // Amazon's own authorities are a file of the real runtime.
  const { NODE_EXTRA_CA_CERTS: _, ...variables } = deployed.Environment.Variables;
  const [port, inner] = [await ownPort(), await ownPort()];
  const addresses = ["--runtime-interface-emulator-address", `127.0.0.1:${port}`];
  const program = start(
    [
      ...([tools.emulator, ...addresses, "--runtime-api-address", `127.0.0.1:${inner}`] as const),
      ...[process.execPath, tools.client, deployed.Handler],
    ],
    {
      cwd: home,
      env: {
        ...variables,
        ...env,
        LAMBDA_TASK_ROOT: home,
        AWS_LAMBDA_FUNCTION_NAME: deployed.FunctionName,
        AWS_LAMBDA_FUNCTION_TIMEOUT: String(deployed.Timeout),
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(deployed.MemorySize),
      },
    },
  );
  const url = `http://127.0.0.1:${port}`;
  await answering(url);
  let last: Promise<unknown> = Promise.resolve();

  async function send<Answer>(event: unknown): Promise<Answer> {
    const response = await fetch(`${url}/2015-03-31/functions/function/invocations`, {
      method: "POST",
      body: JSON.stringify(event),
    });
    const text = await response.text();
    const answer = text === "" ? null : JSON.parse(text);
    if (!response.ok || answer?.errorType !== undefined)
      throw new Error(`${deployed.FunctionName} failed: ${text}\n${program.printed()}`);
    return answer;
  }

  return {
    stop: program.stop,
    /** @throws Error with what it printed when the invocation fails. */
    async invoke<Answer>(event: unknown): Promise<Answer> {
      const answer = last.then(() => send<Answer>(event));
      last = answer.catch(() => undefined);
      return await answer;
    },
  };
}

export type RunningFunction = Awaited<ReturnType<typeof startFunction>>;
