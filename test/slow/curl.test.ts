import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { openApiDocument } from "../../src/sandbox/provider/open-api-document.ts";
import {
  type DocumentedCall,
  documentedCalls,
  requestOf,
  startDocumentedService,
  withoutChance,
} from "../contracts/documented-calls.ts";
import { LIVE_KEY } from "../sandbox/provider/service-fixture.ts";
import { type Answered, type GeneratedClient, generateClient } from "./generated-client.ts";

const run = promisify(execFile);

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
    const client = await generateClient(openApiDocument());
    onTestFinished(() => client.remove());
    const [forCurl, forClient] = [await startDocumentedService(), await startDocumentedService()];
    onTestFinished(async () => {
      await forCurl.close();
      await forClient.close();
    });
    client.OpenAPI.BASE = forClient.url;
    client.OpenAPI.HEADERS = { "x-api-key": LIVE_KEY };

    const table: string[] = ["operation                | curl            | generated client | documented"];
    for (const call of await documentedCalls()) {
      const env = { PATH: process.env.PATH, API: forCurl.url, KEY: LIVE_KEY };
      const { stdout } = await run("bash", ["-c", call.command], { env });
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
