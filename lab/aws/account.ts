import { execFile } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { parse, stringify } from "yaml";
import { ownPort } from "../../test/support/own-port.ts";
import type { Deployed } from "./functions.ts";
import { answering, start } from "./programs.ts";
import { tools } from "./tools.ts";

const execute = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
export const REGION = "eu-west-1";

/** Starts an AWS account of moto's. `env` leads every SDK to it. */
export async function startAccount() {
  const port = await ownPort();
  const url = `http://127.0.0.1:${port}`;
  const moto = start([tools.moto, "-H", "127.0.0.1", "-p", String(port)], { env: {} });
  await answering(url);
  return {
    url,
    stop: moto.stop,
    env: {
      AWS_ENDPOINT_URL: url,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: "lab",
      AWS_SECRET_ACCESS_KEY: "lab",
      AWS_EC2_METADATA_DISABLED: "true",
    },
    /** The settings that Lambda has of a function. */
    async deployed(name: string): Promise<Deployed> {
      // Moto reads the service from the signature's scope, and checks no more of it.
      const authorization = `AWS4-HMAC-SHA256 Credential=lab/20260101/${REGION}/lambda/aws4_request`;
      const response = await fetch(`${url}/2015-03-31/functions/${name}`, { headers: { authorization } });
      if (!response.ok) throw new Error(`Lambda has no ${name}: ${await response.text()}`);
      // The SDK takes a queue's URL for its endpoint, and moto writes Amazon's there.
      const text = (await response.text()).replaceAll(/https:\/\/sqs\.[^/]+/g, url);
      return (JSON.parse(text) as { Configuration: Deployed }).Configuration;
    },
  };
}

/** Copies what osls needs of this checkout to a folder, so that a stage can be added. */
export function copyCheckout(folder: string): void {
  for (const part of ["package.json", "serverless.yml", "tsconfig.json", "deploy", "src", "migrations"])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  for (const part of ["node_modules", "tools"]) symlinkSync(join(root, part), join(folder, part));
  // Moto does not know UpdateTerminationProtection.
  const file = join(folder, "serverless.yml");
  writeFileSync(file, readFileSync(file, "utf8").replace("deletionProtection: true", ""));
}

/** Writes a stage that is the example but for these keys and settings. */
export function writeStage(
  folder: string,
  stage: string,
  { settings, ...keys }: Record<string, unknown> & { settings: Record<string, string> },
): void {
  const stages = join(folder, "deploy/lambda/stages");
  const example = parse(readFileSync(join(stages, "example.yml"), "utf8"));
  const content = { ...example, ...keys, settings: { ...example.settings, ...settings } };
  writeFileSync(join(stages, `${stage}.yml`), stringify(content));
}

/** Runs osls in that folder, as `npx osls` does. @throws Error with what it printed */
export async function osls(folder: string, words: readonly string[], env: Record<string, string>) {
  const { PATH = "", HOME = "" } = process.env;
  const running = execute(process.execPath, ["tools/run-tool.ts", "osls", ...words], {
    cwd: folder,
    env: {
      PATH: `${join(root, "node_modules/.bin")}:${PATH}`,
      HOME,
      SLS_AWS_MONITORING_FREQUENCY: "500",
      ...env,
    },
  });
  running.child.stdin?.end();
  await running.catch(({ message, stdout }) => {
    throw new Error(`${message}${stdout}`);
  });
}

/** Holds the packaged templates against cfn-lint, whose warnings end it too. @throws Error with its findings */
export async function lint(folder: string): Promise<void> {
  const templates = ["create", "update"].map((kind) =>
    join(folder, `.serverless/cloudformation-template-${kind}-stack.json`),
  );
  await execute(tools.cfnLint, templates);
}
