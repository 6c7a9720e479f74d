import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  INVOICE,
  LIVE_KEY,
  NOBODY,
  OPEN_AMOUNT,
  startTestService,
  type TestService,
} from "../sandbox/provider/service-fixture.ts";
import { type GeneratedClient, generateClient } from "./generated-client.ts";

const root = resolve(import.meta.dirname, "../..");
const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

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

  it("drives all seven operations", async () => {
    const { DefaultService: api } = client;
    const made = await api.createInvoice({ ...INVOICE, title: "By a stranger" });
    expect(made).toMatchObject({ status: 200, data: { id: UUID, status: "Unpaid", amount: 1500.5 } });
    const { id } = made.data;

    expect(await api.getInvoice(id)).toMatchObject({ status: 200, data: made.data });
    expect(await api.getCollection(OPEN_AMOUNT)).toMatchObject({
      status: "success",
      data: { id: OPEN_AMOUNT, collectionName: "School fees", amount: 0 },
    });
    const page = await api.listInvoices(
      OPEN_AMOUNT,
      "Unpaid",
      "stranger",
      undefined,
      undefined,
      "Live",
      1,
      5,
    );
    expect(page).toMatchObject({ status: "success", data: { items: [{ id }], pageSize: 5, totalCount: 1 } });

    expect(await api.invalidateInvoice(id)).toEqual({ status: "success", message: expect.any(String) });
    const banks = await api.getBanks();
    const { id: bankId } = banks.data[0];
    const linkedAccount = { bankId, accountNumber: "9990001112", isPrimary: false };
    expect(await api.addLinkedAccount({ linkedAccount })).toMatchObject({ status: "success" });
  });

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
