import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import {
  CollectionApiError,
  CollectionClient,
  type CollectionClientOptions,
} from "../../src/collection-api/index.ts";
import { createLogger } from "../../src/kit/log.ts";
import { Secret } from "../../src/kit/secret.ts";
import { type Answer, startStubProvider } from "./stub-provider.ts";

const ID = "0f3a1c52-9c1b-4a53-8f0e-6d2b7a4c9e10";
const OTHER = "1f3a1c52-9c1b-4a53-8f0e-6d2b7a4c9e11";
const KEY = 'live_key_that-nobody/may"see';
const INVOICE = { id: ID, status: "Paid", amount: 1 };
const CREATE = { collectionId: ID, title: "Dues", payerName: "Ada", payerEmail: "ada@example.com" };

type Call = (client: CollectionClient) => Promise<unknown>;
const getInvoice: Call = (client) => client.getInvoice(ID, { retries: 0 });

async function errorOf(answer: Answer, call: Call = getInvoice): Promise<CollectionApiError> {
  await using provider = await startStubProvider(() => answer);
  const client = new CollectionClient({ baseUrl: provider.url, apiKey: KEY });
  try {
    const result = await call(client);
    throw new Error(`no error but ${inspect(result)}`);
  } catch (error) {
    if (error instanceof CollectionApiError) return error;
    throw error;
  } finally {
    await client.close();
  }
}

const errors = (status: number, message = "No.") => ({
  status,
  body: { status, message, type: "X", errors: [] },
});

describe("an answer that is no success becomes a typed error", () => {
  // What status and words mean is judge-answer.test.ts's; this is what is done about each.
  it.each([
    [401, "key_refused", "pause"],
    [404, "not_found", "refuse"],
    [412, "rule_refused", "refuse"],
    [422, "invalid", "refuse"],
    [429, "rate_limited", "retry"],
    [503, "server_fault", "retry"],
  ])("HTTP %i is %s: %s", async (status, kind, next) => {
    const error = await errorOf(errors(status, "The provider's own words"));
    expect(error).toMatchObject({ kind, next, status, providerMessage: "The provider's own words" });
    expect(error.message).toContain("Get Invoice by ID");
    expect(error.message).toContain("The provider's own words");
  });

  it("a problem that is the message too is said once", async () => {
    const body = { status: 400, message: "amount is missing", type: "X", errors: ["amount is missing"] };
    const { message } = await errorOf({ status: 400, body });
    expect(message.split("amount is missing")).toHaveLength(2);
  });

  it("no half of an address is left of a message that is cut", async () => {
    const long = `${"a".repeat(1_900)} ${"b".repeat(90)}ada@example.com${"c".repeat(1_000_000)}`;
    const error = await errorOf(errors(400, long));
    expect(error.message.length).toBeLessThan(700);
    const many = await errorOf(errors(400, `${"x@y.ng ".repeat(285)}ada.obi@example.com`));
    expect(many.message).not.toContain("ada.obi");
  });

  it.each([
    ["no envelope", INVOICE],
    ["no data", { status: 200, message: "" }],
    ["data that is text", { status: 200, data: "Paid" }],
    ["no id", { status: 200, data: { ...INVOICE, id: undefined } }],
    ["no status", { status: 200, data: { ...INVOICE, status: null } }],
    ["no amount", { status: 200, data: { ...INVOICE, amount: "" } }],
    ["an amount that is none", { status: 200, data: { ...INVOICE, amount: "1,500.00" } }],
  ])("%s is outside the contract, with the text as evidence", async (_, body) => {
    const error = await errorOf({ body });
    expect(error).toMatchObject({ kind: "outside_contract", next: "bury", status: 200 });
    expect(error.evidence).toBe(JSON.stringify(body));
  });

  it("G3: an answer about another id is never taken for the one asked for", async () => {
    const error = await errorOf({ body: { status: 200, data: { ...INVOICE, id: OTHER } } });
    expect(error).toMatchObject({ kind: "wrong_id", next: "bury" });
    expect(error.evidence).toContain(OTHER);
  });

  it("a request that the contract does not allow is refused before anything is sent", async () => {
    await using provider = await startStubProvider(() => ({ body: {} }));
    const client = new CollectionClient({ baseUrl: provider.url, apiKey: KEY });
    const refused = { kind: "invalid", next: "refuse", outcomeUnknown: false };
    await expect(client.getInvoice("../collections")).rejects.toMatchObject(refused);
    await expect(client.createInvoice({ ...CREATE, amount: "-1.00" })).rejects.toMatchObject({
      ...refused,
      problems: ["amount should be more than 0"],
    });
    await expect(client.listInvoices(ID, { pageSize: 1e9 })).rejects.toMatchObject(refused);
    expect(provider.asked).toEqual([]);
    await client.close();
  });
});

describe("a write whose outcome nobody knows", () => {
  const create: Call = (client) => client.createInvoice(CREATE);

  it.each([
    ["a server's fault", errors(500)],
    ["broken JSON", { body: "{" }],
    ["an answer outside the contract", { body: { status: 200, data: {} } }],
  ])("%s: kept as evidence, not to be repeated blindly", async (_, answer) => {
    const error = await errorOf(answer, create);
    expect(error).toMatchObject({ outcomeUnknown: true, next: "bury" });
    expect(error.message).toContain("look before you repeat it");
  });

  it.each([errors(400), errors(401), errors(429)])(
    "but a plain refusal was not carried out",
    async (answer) => {
      expect(await errorOf(answer, create)).toMatchObject({ outcomeUnknown: false });
    },
  );
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
    let logged = "";
    createLogger({ level: "info", destination: { write: (line) => (logged += line) } }).error(
      { err: error },
      "x",
    );
    const printed = [
      error.message,
      error.stack,
      error.evidence,
      JSON.stringify(error),
      inspect(error, { depth: 9, showHidden: true }),
      logged,
    ].join("\n");
    for (const form of [KEY, JSON.stringify(KEY).slice(1, -1), encodeURIComponent(KEY)])
      expect(printed).not.toContain(form);
    expect(logged).toContain("Get Invoice by ID");
    expect(logged).not.toContain("ada@example.com");
  });

  it("nor what the client itself prints", () => {
    const client = new CollectionClient({ baseUrl: "http://127.0.0.1:1", apiKey: new Secret(KEY) });
    expect(inspect(client, { depth: 9, showHidden: true }) + JSON.stringify(client)).not.toContain(
      "live_key",
    );
  });
});

describe("options that cannot be used are refused by name", () => {
  it.each<[string, Partial<CollectionClientOptions>]>([
    ["baseUrl", { baseUrl: "api.example.com" }],
    ["baseUrl", { baseUrl: "ftp://api.example.com" }],
    ["baseUrl", { baseUrl: "https://user:secret@api.example.com" }],
    ["baseUrl", { baseUrl: "https://api.example.com/?key=secret" }],
    ["apiKey", { apiKey: "" }],
    ["apiKey", { apiKey: "secret\r\nx-admin: 1" }],
    ["timeoutMs", { timeoutMs: 0 }],
    ["timeoutMs", { timeoutMs: Number.NaN }],
    ["retries", { retries: -1 }],
    ["connections", { connections: 0 }],
    ["banksPath", { banksPath: "banks" }],
  ])("%s in %j", (name, wrong) => {
    const make = () => new CollectionClient({ baseUrl: "https://api.example.com", apiKey: "key", ...wrong });
    expect(make).toThrow(new RegExp(`^CollectionClient: ${name} should `));
    expect(make).not.toThrow(/secret/);
  });
});
