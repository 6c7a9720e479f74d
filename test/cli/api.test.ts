import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../src/collection-api/index.ts";
import {
  LIVE_KEY,
  OPEN_AMOUNT,
  startTestService,
  TEST_KEY,
  type TestService,
} from "../sandbox/provider/service-fixture.ts";
import { runCli } from "../support/cli-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const TOKEN = "test-token-0123456789abcdef";

const REQUEST = {
  collectionId: OPEN_AMOUNT,
  title: "Second term",
  payerName: "Ngozi Bello",
  payerEmail: "ngozi@example.com",
  amount: "1500.50",
};

describe("invoice-relay api", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  const api = (words: readonly string[], changes: Record<string, string> = {}) =>
    runCli(["api", ...words], {
      COLLECTION_API_URL: service.url,
      COLLECTION_API_KEY: LIVE_KEY,
      PUBLIC_URL: "https://relay.example.com",
      CALLBACK_TOKENS: `${TOKEN},second-token-0123456789abcdef`,
      ...changes,
    });
  const result = async (...words: string[]) => {
    const { code, stdout, stderr } = await api([...words, "--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  };
  const data = (value: unknown) => ["--data", JSON.stringify(value)];
  /** What the provider holds of it, as plain HTTP tells. */
  const held = async (id: string) => (await service.api("GET", `/api/v1/invoices/${id}`)).body.data;
  const fileWith = async (text: string) => {
    const path = join(await temporaryFolder(), "request.json");
    await writeFile(path, text);
    return path;
  };

  it("alone lists the contract's operations, with an example of each", async () => {
    const listed = await result();
    expect(listed).toHaveLength(Object.keys(operations).length);
    const { code, stdout } = await api([]);
    expect(code).toBe(0);
    for (const { operation, example } of listed) {
      expect(stdout).toContain(`  ${operation} `);
      expect(stdout).toContain(`\n  ${example}\n`);
    }
  });

  it("creates an invoice that calls the relay back, its token masked, and reads, pays and ends it", async () => {
    const created = await result("create-invoice", ...data(REQUEST));
    expect(created).toMatchObject({
      amount: "1500.50",
      status: "Unpaid",
      callBackUrl: "https://relay.example.com/callbacks/***",
    });
    expect((await held(created.id)).callBackUrl).toBe(`https://relay.example.com/callbacks/${TOKEN}`);

    const { stdout } = await api(["get-invoice", created.id.toUpperCase()]);
    expect(stdout).toMatch(/^ {2}payerEmail +ngozi@example\.com$/m);
    expect(await result("invalidate-invoice", created.id)).toEqual({
      message: "Invoice invalidated successfully",
    });
    expect((await held(created.id)).status).toBe("Invalidated");
  });

  it("takes a request from a file, every digit of its amount, and another callback URL or none", async () => {
    const callBackUrl = "https://shop.example.com/paid";
    const path = await fileWith(
      `\uFEFF${JSON.stringify({ ...REQUEST, callBackUrl, amount: 0 }).replace('"amount":0', '"amount":9999999999999.10')}`,
    );
    const { id } = await result("create-invoice", "--data", `@${path}`);
    expect(await held(id)).toMatchObject({ amount: 9999999999999.1, callBackUrl });
    const silent = await result("create-invoice", ...data({ ...REQUEST, callBackUrl: null }));
    expect((await held(silent.id)).callBackUrl).toBeNull();
  });

  it("says where an invoice calls nobody, and where its callback URL cannot be reached", async () => {
    const words = ["create-invoice", ...data(REQUEST)];
    const nowhere = await api(words, { PUBLIC_URL: "" });
    expect(nowhere).toMatchObject({ code: 0, stderr: expect.stringContaining("no callBackUrl") });
    const here = await api(words, { PUBLIC_URL: "http://127.0.0.1:4000" });
    expect(here).toMatchObject({ code: 0, stderr: expect.stringContaining("address of this machine") });
  });

  it("lists a page by the filters of --data, as a table whose titles mask tokens", async () => {
    const title = `to /callbacks/${TOKEN}`;
    const ids = [await service.create({ title }), await service.create({ title })];
    const filter = { search: "to /callbacks", invoiceStatus: "unpaid", pageSize: 1, page: 2 };
    const page = await result("list-invoices", OPEN_AMOUNT, ...data(filter));
    expect(page).toMatchObject({ page: 2, totalCount: 2, hasNextPage: false });
    expect(ids).toContain(page.items[0].id);
    const { stdout } = await api(["list-invoices", OPEN_AMOUNT, ...data(filter)]);
    expect(stdout).toContain("to /callbacks/***");
    expect(stdout).not.toContain(TOKEN);
    const none = await api(["list-invoices", OPEN_AMOUNT, ...data({ search: "nobody" })]);
    expect(none.stdout).toContain("items\nNone.\n");
  });

  it("names every field that is missing, wrong or unknown with an example, sends nothing, quotes no value", async () => {
    const away = { COLLECTION_API_URL: "http://127.0.0.1:1" };
    const wrong = { title: "", amount: -5, payerNmae: "Ngozi", invoiceBeneficiaries: [{ amount: "1" }] };
    const { code, stdout, stderr } = await api(["create-invoice", ...data(wrong)], away);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.split("\n").filter((line) => line.startsWith("  "))).toEqual([
      '  collectionId is missing (example: "3f1c6a52-1b1e-4c55-9d0a-6f2f6a2b8c11")',
      '  title should not be empty (example: "School fees")',
      '  payerName is missing (example: "Ada Obi")',
      '  payerEmail is missing (example: "ada@example.com")',
      '  amount should be more than 0 (example: "1500.50")',
      '  invoiceBeneficiaries[0].linkedAccountId is missing (example: "3f1c6a52-1b1e-4c55-9d0a-6f2f6a2b8c11")',
      "  payerNmae is no field; perhaps payerName is meant",
    ]);
    expect(stderr).not.toContain("Ngozi");
    const json = await api(["create-invoice", ...data(wrong), "--json"], away);
    expect(JSON.parse(json.stdout).error).toMatchObject({ code: "usage" });
  });

  it.each([
    [["get-invoices"], "Did you mean get-invoice?"],
    [["get-invoice"], "takes an id"],
    [["get-invoice", "42"], "should be an id (UUID)"],
    [["get-banks", OPEN_AMOUNT], "takes no id"],
    [["get-banks", ...data({ page: 1 })], "takes no --data"],
    [["list-invoices", OPEN_AMOUNT, ...data({ startDate: "2024-02-30" })], "startDate should be a date"],
    [["list-invoices", OPEN_AMOUNT, ...data({ page: 0 })], "page should be a whole number from 1"],
    [["add-linked-account", ...data({ linkedAccount: { bankId: "044" } })], "not its clearing code"],
    [
      ["add-linked-account", ...data({ linkedAccount: { bankId: 1, primary: true } })],
      "perhaps isPrimary is meant",
    ],
    [["create-invoice", "--data", "{"], "should be one JSON object"],
    [["create-invoice", "--data", "[]"], "should be one JSON object"],
    [["create-invoice", "--data", "@/nowhere/request.json"], "/nowhere/request.json cannot be read"],
  ])("%j is refused before anything is sent", async (words, said) => {
    const { code, stdout, stderr } = await api(words, { COLLECTION_API_URL: "http://127.0.0.1:1" });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(said);
  });

  it("tells a missing invoice, a refused key, a provider that is away and a lost answer apart", async () => {
    expect((await api(["get-invoice", randomUUID()])).code).toBe(3);
    expect(await api(["get-banks", "--banks-path", "/elsewhere"])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("--banks-path"),
    });
    const secret = "a-key-that-nobody-gave-out";
    const refused = await api(["get-banks"], { COLLECTION_API_KEY: secret });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("Check the key") });
    expect(refused.stderr).not.toContain(secret);
    expect(await api(["get-banks"], { COLLECTION_API_URL: "http://127.0.0.1:1" })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("Check COLLECTION_API_URL"),
    });
    await service.control("PUT", "/faults", {
      api: [{ operations: ["createInvoice"], answer: "500", afterWork: true, times: 1 }],
    });
    const lost = await api(["create-invoice", ...data(REQUEST)]);
    expect(lost.stderr).toContain("It may have been carried out");
  });

  it("asks with the key, and creates with the token, of the source that is named", async () => {
    const source = (name: string, collectionApiKey: string, token: string) => ({
      name,
      collectionApiUrl: service.url,
      collectionApiKey,
      callbackTokens: [token],
      snsTopicArn: "arn:aws:sns:eu-west-1:123456789012:invoice-events",
    });
    const sources = [
      source("shop", LIVE_KEY, "shop-token-0123456789abcdef"),
      source("rehearsal", TEST_KEY, "rehearsal-token-0123456789abcdef"),
    ];
    const settings = {
      SOURCES_FILE: await fileWith(JSON.stringify({ sources })),
      PUBLIC_URL: "https://relay.example.com",
    };
    const words = ["api", "create-invoice", ...data(REQUEST), "--json", "--source", "rehearsal"];
    const { id, type } = JSON.parse((await runCli(words, settings)).stdout);
    expect(type).toBe("Test");
    expect((await held(id)).callBackUrl).toContain("/callbacks/rehearsal-token-");
    const unnamed = await runCli(["api", "get-banks"], settings);
    expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining("shop, rehearsal") });
  });
});
