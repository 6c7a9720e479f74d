import { createHash } from "node:crypto";
import type { Account, DeployedFunction } from "./account.ts";

/** Runs one invocation of the code that stands there now. @throws Error when the function throws */
export type Invoke = (deployed: DeployedFunction, event: unknown) => Promise<unknown>;

interface JsonAnswer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

const PATH = /^\/2015-03-31\/functions\/([^/]+)(?:\/(code|configuration|invocations))?$/;

/** Lambda's REST API, as far as `osls` uses it. */
export async function lambda(
  account: Account,
  invoke: Invoke,
  { method, path, body }: { method: string; path: string; body: Buffer },
): Promise<JsonAnswer> {
  const [, name = "", part] = PATH.exec(path) ?? [];
  const deployed = account.functions.get(decodeURIComponent(name));
  if (deployed === undefined)
    return {
      status: 404,
      headers: { "x-amzn-errortype": "ResourceNotFoundException" },
      body: { Message: `Function not found: ${name}` },
    };
  const given = body.length > 0 ? JSON.parse(body.toString("utf8")) : {};
  switch (`${method} ${part ?? ""}`) {
    case "GET ":
      return { status: 200, body: { Configuration: configurationOf(deployed), Code: { Location: "" } } };
    case "PUT code":
      deployed.zip = Buffer.from(given.ZipFile, "base64");
      deployed.modifiedAt = new Date().toISOString();
      return { status: 200, body: configurationOf(deployed) };
    case "PUT configuration":
      Object.assign(deployed, {
        ...(given.Environment === undefined ? {} : { variables: given.Environment.Variables }),
        ...(given.Role === undefined ? {} : { role: given.Role }),
        ...(given.Timeout === undefined ? {} : { timeout: given.Timeout }),
        ...(given.MemorySize === undefined ? {} : { memorySize: given.MemorySize }),
        ...(given.Description === undefined ? {} : { description: given.Description }),
      });
      return { status: 200, body: configurationOf(deployed) };
    case "POST invocations":
      try {
        return { status: 200, body: await invoke(deployed, given) };
      } catch (error) {
        const errorMessage = error instanceof Error ? error.message : String(error);
        return { status: 200, headers: { "x-amz-function-error": "Unhandled" }, body: { errorMessage } };
      }
    default:
      return { status: 405, body: { Message: `the fake knows no ${method} ${path}` } };
  }
}

const configurationOf = (deployed: DeployedFunction) => ({
  FunctionName: deployed.name,
  Role: deployed.role,
  Handler: deployed.handler,
  Description: deployed.description,
  MemorySize: deployed.memorySize,
  Timeout: deployed.timeout,
  PackageType: "Zip",
  State: "Active",
  LastUpdateStatus: "Successful",
  LastModified: deployed.modifiedAt,
  CodeSha256: createHash("sha256").update(deployed.zip).digest("base64"),
  Environment: { Variables: deployed.variables },
});
