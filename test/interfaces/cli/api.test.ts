import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../../src/provider/collection-api/index.ts";
import {
  LIVE_KEY,
  OPEN_AMOUNT,
  startTestService,
  TEST_KEY,
  type TestService,
} from "../../sandbox/provider/service-fixture.ts";
import { runCli } from "../../support/cli-process.ts";
import { expectGolden } from "../../support/golden.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

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

  it("alone lists the contract's operations", async () => {
    expect(await result()).toHaveLength(Object.keys(operations).length);
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
    await result("invalidate-invoice", created.id);
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

  it("warns where an invoice calls nobody, and where its callback URL cannot be reached", async () => {
    const said: string[] = [];
    for (const PUBLIC_URL of ["", "http://127.0.0.1:4000", "https://relay.example.com"]) {
      const { code, stderr } = await api(["create-invoice", ...data(REQUEST)], { PUBLIC_URL });
      said.push(stderr);
      expect([code, stderr !== ""], PUBLIC_URL).toEqual([0, PUBLIC_URL !== "https://relay.example.com"]);
    }
    await expectGolden("api-create-invoice-warnings", said.join("\n"));
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
  });

  it("tells a missing invoice, a refused key, a provider that is away and a lost answer apart", async () => {
    const key = { COLLECTION_API_KEY: "hush-hush-key-that-nobody-gave-out" };
    const said: string[] = [];
    for (const [words, code, changes] of [
      [["get-invoice", randomUUID()], 3],
      [["get-banks", "--banks-path", "/elsewhere"], 3],
      [["get-banks"], 1, key],
      [["get-banks"], 4, { COLLECTION_API_URL: "http://127.0.0.1:1" }],
    ] as const) {
      const answer = await api(words, changes);
      said.push(answer.stderr);
      expect(answer.code, words.join(" ")).toBe(code);
    }
    const lost = { operations: ["createInvoice"], answer: "500", afterWork: true, times: 1 };
    await service.control("PUT", "/faults", { api: [lost] });
    said.push((await api(["create-invoice", ...data(REQUEST)])).stderr);
    expect(said.join("\n")).not.toContain("hush-hush");
    await expectGolden("api-failures", said.join("\n"));
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
