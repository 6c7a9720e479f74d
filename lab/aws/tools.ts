import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Kept for the next run: Amazon's client is compiled for minutes. */
const folder = join(tmpdir(), "invoice-relay-lab-aws");
const python = join(folder, "python/bin");
const client = join(folder, "client");

/** Programs that stand in for AWS. Remove the folder to have their newest versions. */
export const tools = {
  folder,
  moto: join(python, "moto_server"),
  cfnLint: join(python, "cfn-lint"),
  /** Amazon's runtime interface emulator. */
  emulator: join(folder, "go/aws-lambda-rie"),
  /** Amazon's runtime interface client for Node. */
  client: join(client, "node_modules/aws-lambda-ric/index.mjs"),
};

const EMULATOR = "github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie@latest";

/** Installs from PyPI, the Go proxy and npm what is not there yet. Needs python3, go, make, cmake and a C++ compiler. */
export async function installTools(): Promise<void> {
  await mkdir(client, { recursive: true });
  if (!existsSync(tools.moto) || !existsSync(tools.cfnLint)) {
    await execute("python3", ["-m", "venv", join(folder, "python")]);
    await execute(join(python, "pip"), ["install", "--quiet", "moto[all,server]", "cfn-lint"]);
  }
  if (!existsSync(tools.emulator))
    await execute("go", ["install", EMULATOR], { env: { ...process.env, GOBIN: join(folder, "go") } });
  if (!existsSync(tools.client)) {
    const manifest = { private: true, allowScripts: { "aws-lambda-ric": true } };
    await writeFile(join(client, "package.json"), JSON.stringify(manifest));
    await execute("npm", ["install", "--no-audit", "--no-fund", "aws-lambda-ric@4"], { cwd: client });
  }
}
