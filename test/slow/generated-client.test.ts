import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  INVOICE,
  LIVE_KEY,
  NOBODY,
  startTestService,
  type TestService,
} from "../sandbox/provider/service-fixture.ts";
import { type GeneratedClient, generateClient } from "./generated-client.ts";

const root = resolve(import.meta.dirname, "../..");

describe("a client that an independent generator made from docs/openapi.json", () => {
  let service: TestService;
  let client: GeneratedClient;
  beforeAll(async () => {
    service = await startTestService();
    client = await generateClient(JSON.parse(await readFile(resolve(root, "docs/openapi.json"), "utf8")));
    client.OpenAPI.BASE = service.url;
    client.OpenAPI.HEADERS = { "x-api-key": LIVE_KEY };
  });
  afterAll(async () => {
    await client?.remove();
    await service?.close();
  });

  // It drives all seven operations in curl.test.ts.
  it("tells its caller what the service refuses", async () => {
    const { DefaultService: api } = client;
    await expect(api.getInvoice(NOBODY)).rejects.toMatchObject({
      status: 404,
      body: { message: "Invoice with the given Id does not exist" },
    });
    await expect(api.createInvoice({ ...INVOICE, amount: -1 })).rejects.toMatchObject({
      status: 400,
      body: { message: "amount should be more than 0", errors: ["amount should be more than 0"] },
    });
  });

  it("has types that the compiler takes, and that know what the contract knows", async () => {
    const flags = "--noEmit --strict --target es2022 --module esnext --moduleResolution bundler --types node";
    const typeRoots = [
      "--typeRoots",
      resolve(root, "node_modules/@types"),
      "--lib",
      "es2022,dom,dom.iterable",
    ];
    const tsc = resolve(root, "node_modules/.bin/tsc");
    const run = promisify(execFile)(
      tsc,
      [...flags.split(" "), ...typeRoots, resolve(client.folder, "index.ts")],
      {
        cwd: client.folder,
      },
    );
    await expect(run).resolves.toMatchObject({ stdout: "" });
    const invoice = await readFile(resolve(client.folder, "models/Invoice.ts"), "utf8");
    expect(invoice).toContain("status: 'Unpaid' | 'Paid' | 'Invalidated';");
  });
});
