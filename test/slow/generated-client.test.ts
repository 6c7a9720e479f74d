import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { describe, expect, it, onTestFinished } from "vitest";
import { tool } from "../../ops/tools.ts";
import {
  type DocumentedCall,
  documentedCalls,
  requestOf,
  startDocumentedService,
  withoutChance,
} from "../contracts/documented-calls.ts";
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
    getCollection(id: string): Promise<Answered>;
    listInvoices(
      id: string,
      invoiceStatus?: string,
      search?: string,
      startDate?: string,
      endDate?: string,
      invoiceType?: string,
      page?: number,
      pageSize?: number,
    ): Promise<Answered>;
    createInvoice(body: object): Promise<Answered>;
    getInvoice(id: string): Promise<Answered>;
    invalidateInvoice(id: string): Promise<Answered>;
    addLinkedAccount(body: object): Promise<Answered>;
    getBanks(): Promise<Answered>;
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

/**
 * The documented call by the generated client's own method: its arguments are read off the line with curl.
 */
function byGeneratedClient(
  { DefaultService: api }: GeneratedClient,
  call: DocumentedCall,
): Promise<Answered> {
  const { url, init } = requestOf(call, "http://api", "");
  const { pathname, searchParams: query } = new URL(url);
  const id = pathname.split("/")[4] ?? "";
  const body = JSON.parse(String(init.body ?? "{}"));
  const asked = (name: string) => query.get(name) ?? undefined;
  switch (call.title) {
    case "Get Collection by ID":
      return api.getCollection(id);
    case "Get Collection Invoices":
      return api.listInvoices(
        id,
        asked("invoiceStatus"),
        undefined,
        asked("startDate"),
        asked("endDate"),
        undefined,
        1,
        20,
      );
    case "Create Invoice":
      return api.createInvoice(body);
    case "Get Invoice by ID":
      return api.getInvoice(id);
    case "Add Linked Account":
      return api.addLinkedAccount(body);
    case "Get Banks":
      return api.getBanks();
    default:
      return api.invalidateInvoice(id).catch((error: { body: unknown }) => error.body);
  }
}

describe("the documented calls with curl, and by a generated client, side by side", () => {
  it("get the same answers, which are the documented ones", async () => {
    const [forCurl, forClient] = [await startDocumentedService(), await startDocumentedService()];
    onTestFinished(async () => {
      await forCurl.close();
      await forClient.close();
    });
    const client = await generateClient(forClient.url);

    const table: string[] = ["operation                | curl            | generated client | documented"];
    for (const call of await documentedCalls()) {
      const env = { PATH: process.env.PATH, API: forCurl.url, KEY: LIVE_KEY };
      const { stdout } = await execute("bash", ["-c", call.command], { env });
      const withCurl = withoutChance(call, JSON.parse(stdout));
      const withClient = withoutChance(call, await byGeneratedClient(client, call));
      const documented = withoutChance(call, call.answer);
      expect(withCurl, call.title).toEqual(documented);
      expect(withClient, call.title).toEqual(documented);
      const { status } = JSON.parse(stdout);
      const bytes = (value: unknown) => `${status}, ${JSON.stringify(value).length} B`;
      table.push(
        `${call.title.padEnd(24)} | ${bytes(withCurl).padEnd(15)} | ${bytes(withClient).padEnd(16)} | the same`,
      );
    }
    process.stdout.write(`${table.join("\n")}\n`);
    expect(table).toHaveLength(9);
  });
});

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
