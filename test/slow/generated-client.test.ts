import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, it, onTestFinished } from "vitest";
import { tool } from "../../ops/tools.ts";
import { INVOICE, LIVE_KEY, NOBODY, startTestService } from "../sandbox/provider/service-fixture.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const execute = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");

/** An answer as the generated client gives it. */
// biome-ignore lint/suspicious/noExplicitAny: its types are made while the test runs
type Answered = any;

/** What the generator makes of the document: a method for each operation, by its id. */
interface GeneratedClient {
  readonly folder: string;
  readonly DefaultService: {
    createInvoice(body: object): Promise<Answered>;
    getInvoice(id: string): Promise<Answered>;
  };
}

/** The client that an independent generator makes of docs/openapi.json. Nothing of ours is in it. */
async function generateClient(baseUrl: string): Promise<GeneratedClient> {
  const { generate } = tool<{ generate(options: object): Promise<void> }>("openapi-typescript-codegen");
  const input = JSON.parse(await readFile(join(root, "docs/openapi.json"), "utf8"));
  const folder = await temporaryFolder();
  await generate({ input, output: folder, httpClient: "fetch", useUnionTypes: true });
  const outfile = join(folder, "client.mjs");
  await build({
    ...{ entryPoints: [join(folder, "index.ts")], outfile, bundle: true },
    ...{ format: "esm", platform: "node", logLevel: "silent" },
  });
  const { OpenAPI, DefaultService } = await import(pathToFileURL(outfile).href);
  Object.assign(OpenAPI, { BASE: baseUrl, HEADERS: { "x-api-key": LIVE_KEY } });
  return { folder, DefaultService };
}

it("a client that an independent generator made tells what the service refuses, and has types that the compiler takes", async () => {
  const service = await startTestService();
  onTestFinished(() => service.close());
  const { DefaultService: api, folder } = await generateClient(service.url);
  await expect(api.getInvoice(NOBODY)).rejects.toMatchObject({
    status: 404,
    body: { message: "Invoice with the given Id does not exist" },
  });
  await expect(api.createInvoice({ ...INVOICE, amount: -1 })).rejects.toMatchObject({
    status: 400,
    body: { message: "amount should be more than 0", errors: ["amount should be more than 0"] },
  });

  const flags = "--noEmit --strict --target es2022 --module esnext --moduleResolution bundler --types node";
  const lib = ["--typeRoots", join(root, "node_modules/@types"), "--lib", "es2022,dom,dom.iterable"];
  const words = [...flags.split(" "), ...lib, join(folder, "index.ts")];
  await expect(execute(join(root, "node_modules/.bin/tsc"), words, { cwd: folder })).resolves.toMatchObject({
    stdout: "",
  });
  const invoice = await readFile(join(folder, "models/Invoice.ts"), "utf8");
  expect(invoice).toContain("status: 'Unpaid' | 'Paid' | 'Invalidated';");
});
