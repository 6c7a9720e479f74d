import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { tool } from "../../ops/tools.ts";

/** An answer as the generated client gives it. */
// biome-ignore lint/suspicious/noExplicitAny: its types are made while the test runs
export type Answered = any;

/** What the generator makes of the document: a method for each operation, by its id. */
export interface GeneratedClient {
  readonly folder: string;
  readonly OpenAPI: { BASE: string; HEADERS: Record<string, string> };
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
  remove(): Promise<void>;
}

/**
 * Has an independent generator make a client from an OpenAPI document, and loads it. Nothing of ours is in
 * it.
 */
export async function generateClient(document: Record<string, unknown>): Promise<GeneratedClient> {
  const { generate } = tool<{ generate(options: object): Promise<void> }>("openapi-typescript-codegen");
  const folder = await mkdtemp(join(tmpdir(), "generated-client-"));
  await generate({ input: document, output: folder, httpClient: "fetch", useUnionTypes: true });
  const outfile = join(folder, "client.mjs");
  await build({
    entryPoints: [join(folder, "index.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "silent",
  });
  const { OpenAPI, DefaultService } = await import(pathToFileURL(outfile).href);
  return { folder, OpenAPI, DefaultService, remove: () => rm(folder, { recursive: true }) };
}
