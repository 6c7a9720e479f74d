import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Template } from "./template-faults.ts";

const execute = promisify(execFile);
export const root = resolve(import.meta.dirname, "../..");

export interface Statement {
  Sid: string;
  Effect: "Allow" | "Deny";
  Action: string | string[];
  Resource: unknown;
  Condition?: Record<string, unknown>;
}

/** What the queues, topics and keys are called in a role, resolved by hand. */
export const named = (resource: unknown): string => {
  const text = JSON.stringify(resource);
  return text.replaceAll(/.*parameter\/invoice-relay\/example\/(\w+).*/g, "$1");
};

/** What `npm run package:lambda` makes of a stage: the template as JSON text. */
export async function packageLambda(stage = "example"): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "invoice-relay-home-"));
  // No credentials, no profile, and nothing that answers for AWS.
  await execute("npm", ["run", "package:lambda", "--", "--stage", stage], {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: home,
      AWS_EC2_METADATA_DISABLED: "true",
      HTTPS_PROXY: "http://127.0.0.1:9",
      https_proxy: "http://127.0.0.1:9",
    },
  });
  await rm(home, { recursive: true, force: true });
  return await readFile(join(root, ".serverless/cloudformation-template-update-stack.json"), "utf8");
}

/** What a function's role says. */
export function statementsOf(template: Template, name: string): Statement[] {
  const properties = template.Resources[`${name}Role`]?.Properties as {
    Policies: { PolicyDocument: { Statement: Statement[] } }[];
  };
  return properties.Policies.flatMap((policy) => policy.PolicyDocument.Statement);
}
