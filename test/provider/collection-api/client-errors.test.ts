import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { createLogger } from "../../../src/platform/log/log.ts";
import {
  CollectionApiError,
  CollectionClient,
  type CollectionClientOptions,
} from "../../../src/provider/collection-api/index.ts";
import { type Answer, CREATE, ID, INVOICE, withProvider } from "./stub-provider.ts";

const OTHER = "1f3a1c52-9c1b-4a53-8f0e-6d2b7a4c9e11";
const KEY = 'live_key_that-nobody/may"see';

type Call = (client: CollectionClient) => Promise<unknown>;
const getInvoice: Call = (client) => client.getInvoice(ID);

async function errorOf(answer: Answer, call: Call = getInvoice): Promise<CollectionApiError> {
  const { client } = await withProvider(() => answer, { apiKey: KEY });
  const error = await call(client).catch((error: unknown) => error);
  if (error instanceof CollectionApiError) return error;
  throw new Error(`no error but ${inspect(error)}`);
}

const refusal = (status: number, message = "No.") => ({
  status,
  body: { status, message, type: "X", errors: [] },
});

describe("an answer that is no success becomes a typed error", () => {
  it("no half of an address is left of a message that is cut", async () => {
    const { message } = await errorOf(
      refusal(400, `${"x@y.ng ".repeat(285)}ada.obi@example.com${"c".repeat(1e6)}`),
    );
    expect(message).not.toContain("ada.obi");
    expect(message.length).toBeLessThan(700);
  });

  it("a success outside the contract is kept as evidence", async () => {
    const body = { status: 200, data: { ...INVOICE.data, amount: "1,500.00" } };
    const error = await errorOf({ body });
    expect(error).toMatchObject({ kind: "outside_contract", next: "bury", status: 200 });
    expect(error.evidence).toBe(JSON.stringify(body));
  });

  it("an answer about another id is never taken for the one asked for (G3)", async () => {
    const error = await errorOf({ body: { status: 200, data: { ...INVOICE.data, id: OTHER } } });
    expect(error).toMatchObject({ kind: "wrong_id", next: "bury" });
    expect(error.evidence).toContain(OTHER);
  });

  it("a request that the contract does not allow is refused before anything is sent", async () => {
    const { client, provider } = await withProvider(() => ({ body: {} }));
    const refused = { kind: "invalid", next: "refuse", outcomeUnknown: false };
    for (const asking of [
      client.getInvoice("../collections"),
      client.createInvoice({ ...CREATE, amount: "-1.00" }),
      client.listInvoices(ID, { pageSize: 1e9 }),
    ])
      await expect(asking).rejects.toMatchObject(refused);
    expect(provider.asked).toEqual([]);
  });
});

describe("the key is never part of an error", () => {
  const echoed = `you sent ${KEY} (${encodeURIComponent(KEY)}) for ada@example.com`;

  it.each([
    ["a message", { status: 401, body: { status: 401, message: echoed, errors: [echoed] } }],
    ["evidence", { body: { status: 200, data: { id: echoed } } }],
    ["broken JSON", { body: echoed }],
    ["a redirect", { status: 302, headers: { location: `/?key=${encodeURIComponent(KEY)}` } }],
  ])("not where the provider echoes it in %s", async (_, answer) => {
    const error = await errorOf(answer);
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    createLogger({ level: "info", destination }).error({ err: error }, "x");
    const { message, stack, evidence } = error;
    const logged = lines.join();
    const inspected = inspect(error, { depth: 9, showHidden: true });
    const printed = [message, stack, evidence, JSON.stringify(error), inspected, logged].join("\n");
    for (const form of [KEY, JSON.stringify(KEY).slice(1, -1), encodeURIComponent(KEY)])
      expect(printed).not.toContain(form);
    expect(logged).toContain("Get Invoice by ID");
    expect(logged).not.toContain("ada@example.com");
  });
});

it.each<[string, Partial<CollectionClientOptions>]>([
  ["baseUrl", { baseUrl: "api.example.com" }],
  ["baseUrl", { baseUrl: "https://user:secret@api.example.com" }],
  ["apiKey", { apiKey: "secret\r\nx-admin: 1" }],
  ["banksPath", { banksPath: "banks" }],
])("an option that cannot be used is refused by name: %s in %j", (name, wrong) => {
  const make = () => new CollectionClient({ baseUrl: "https://api.example.com", apiKey: "key", ...wrong });
  expect(make).toThrow(name);
  expect(make).not.toThrow(/secret/);
});
