import { readFile } from "node:fs/promises";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { resolve } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { API_ANSWERS } from "../../../src/sandbox/provider/answers.ts";
import { CALLBACK_VARIANTS } from "../../../src/sandbox/provider/callback-request.ts";
import { parseFaults } from "../../../src/sandbox/provider/faults.ts";
import { INVOICE, LIVE_KEY, OPEN_AMOUNT, startTestService, type TestService } from "./service-fixture.ts";

describe("faults of the API on request", () => {
  let service: TestService;
  let id: string;
  beforeAll(async () => {
    service = await startTestService();
    id = await service.create();
  });
  afterEach(() => service.control("DELETE", "/faults"));
  afterAll(() => service.close());

  const strike = async (...api: Record<string, unknown>[]) => {
    const reply = await service.control("PUT", "/faults", { api });
    expect(reply.status, reply.text).toBe(200);
  };
  const read = (invoiceId = id) => service.api("GET", `/api/v1/invoices/${invoiceId}`);
  const total = async () =>
    (await service.api("GET", `/api/v1/collections/${OPEN_AMOUNT}/invoices`)).body.data.totalCount;

  it.each([500, 401, 403, 404, 429])("answers %s, in the form of an error", async (status) => {
    await strike({ answer: `${status}`, retryAfterSeconds: 7 });
    const reply = await read();
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([status, status === 429 ? "7" : null]);
    expect(reply.body).toMatchObject({ status, message: expect.any(String), errors: expect.any(Array) });
  });

  it("answers with broken JSON, a wrong envelope, or about another invoice", async () => {
    await strike(
      { answer: "broken-json", times: 1 },
      { answer: "wrong-envelope", times: 1 },
      { answer: "wrong-id" },
    );
    const [broken, odd, other] = [await read(), await read(), await read()];
    expect([broken.status, odd.status, other.status]).toEqual([200, 200, 200]);
    expect(() => JSON.parse(broken.text)).toThrow(SyntaxError);
    expect(Object.keys(odd.body)).toEqual(["ok", "result"]);
    expect(other.body.data.id).toMatch(/^9{8}-/);
  });

  it("breaks off half way, after promising the whole", async () => {
    await strike({ answer: "half-answer" });
    const url = `${service.url}/api/v1/invoices/${id}`;
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    httpRequest(url, { headers: { "x-api-key": LIVE_KEY } }, resolve)
      .on("error", reject)
      .end();
    const response = await promise;
    let came = 0;
    response.on("data", (chunk: Buffer) => (came += chunk.length)).on("error", () => undefined);
    await new Promise((closed) => response.on("close", closed));
    expect(response.complete).toBe(false);
    expect(came).toBeGreaterThan(0);
    expect(came).toBeLessThan(Number(response.headers["content-length"]));
  });

  it("answers slowly, and whoever asked later is not held up", async () => {
    const other = await service.create();
    await strike({ ids: [other], delayMs: 24 * 86_400_000 }, { ids: [id], delayMs: 50 });
    let isAnswered = false;
    read(other).then(
      () => (isAnswered = true),
      () => undefined,
    );
    expect((await service.api("GET", "/api/v1/banks")).status).toBe(200);
    expect((await read()).body.data.id).toBe(id);
    expect(isAnswered).toBe(false);
  });

  it("strikes only the operations that it names, and only so many times", async () => {
    await strike({ operations: ["getInvoice"], answer: "500", times: 2 });
    expect((await service.api("GET", "/api/v1/banks")).status).toBe(200);
    const statuses = [await read(), await read(), await read()].map((reply) => reply.status);
    expect(statuses).toEqual([500, 500, 200]);
  });

  it("strikes before the work, or after it: then the invoice is there although the answer is lost", async () => {
    const before = await total();
    await strike({ operations: ["createInvoice"], answer: "500" });
    expect((await service.api("POST", "/api/v1/invoices", INVOICE)).status).toBe(500);
    expect(await total()).toBe(before);
    await strike({ operations: ["createInvoice"], answer: "500", afterWork: true });
    expect((await service.api("POST", "/api/v1/invoices", INVOICE)).status).toBe(500);
    expect(await total()).toBe(before + 1);
  });

  it.each([
    ["bare-404", 404, null, ""],
    ["html-404", 404, "text/html; charset=utf-8", "<h1>404 Not Found</h1>"],
    ["json-404", 404, "application/json", "no Route matched"],
    ["html-403", 403, "text/html; charset=utf-8", "Request blocked"],
    ["html-200", 200, "text/html; charset=utf-8", "We will be back soon"],
    ["html-502", 502, "text/html; charset=utf-8", "502 Bad Gateway"],
    ["html-503", 503, "text/html; charset=utf-8", "503 Service Unavailable"],
    ["empty-200", 200, null, ""],
    ["no-content", 204, null, ""],
  ])("%s: none of the provider's envelope", async (answer, status, type, text) => {
    await strike({ answer });
    const reply = await read();
    expect([reply.status, reply.headers.get("content-type")]).toEqual([status, type]);
    expect(reply.text).toContain(text);
    expect(reply.body?.status).toBeUndefined();
  });

  it("redirect: to a page where a person signs in", async () => {
    await strike({ answer: "redirect" });
    const reply = await fetch(`${service.url}/api/v1/invoices/${id}`, { redirect: "manual" });
    expect([reply.status, reply.headers.get("location")]).toEqual([302, "/login"]);
  });

  it("403 for one invoice only, whatever the letters' case", async () => {
    const other = await service.create();
    await strike({ answer: "403", ids: [id.toUpperCase()] });
    expect((await read(id.toUpperCase())).status).toBe(403);
    expect((await read(other)).status).toBe(200);
    expect((await service.api("GET", `/api/v1/collections/${OPEN_AMOUNT}`)).status).toBe(200);
  });
});

describe("the room's README", () => {
  it("shows faults that the service takes, and names every answer and variant", async () => {
    const readme = await readFile(
      resolve(import.meta.dirname, "../../../src/sandbox/provider/README.md"),
      "utf8",
    );
    const [, example = ""] = /```json\n([\s\S]*?)```/.exec(readme) ?? [];
    expect(parseFaults(example).api).toHaveLength(1);
    const words = [...CALLBACK_VARIANTS, ...API_ANSWERS].filter((word) => !readme.includes(`\`${word}\``));
    expect(words).toEqual([]);
  });
});
