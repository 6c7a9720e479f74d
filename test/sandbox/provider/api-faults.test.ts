import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { API_ANSWERS } from "../../../src/sandbox/provider/answers.ts";
import { CALLBACK_VARIANTS } from "../../../src/sandbox/provider/callback-request.ts";
import { parseFaults } from "../../../src/sandbox/provider/faults.ts";
import { INVOICE, LIVE_KEY, OPEN_AMOUNT, startTestService } from "./service-fixture.ts";

const service = await startTestService();
afterAll(service.close);
const id = await service.create();

describe("faults of the API on request", () => {
  afterEach(() => service.control("DELETE", "/faults"));

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
    const answers = ["broken-json", "wrong-envelope", "wrong-id"];
    await strike(...answers.map((answer) => ({ answer, times: 1 })));
    const [broken, odd, other] = [await read(), await read(), await read()];
    expect([broken.status, odd.status, other.status]).toEqual([200, 200, 200]);
    expect(() => JSON.parse(broken.text)).toThrow(SyntaxError);
    expect(Object.keys(odd.body)).toEqual(["ok", "result"]);
    expect(other.body.data.id).toMatch(/^9{8}-/);
  });

  it("breaks off half way, after promising the whole", async () => {
    await strike({ answer: "half-answer" });
    const url = `${service.url}/api/v1/invoices/${id}`;
    const response = await fetch(url, { headers: { "x-api-key": LIVE_KEY } });
    expect(Number(response.headers.get("content-length"))).toBeGreaterThan(0);
    await expect(response.text()).rejects.toThrow();
  });

  it("answers slowly, and whoever asked later is not held up", async () => {
    const other = await service.create();
    await strike({ ids: [other], delayMs: 24 * 86_400_000 }, { ids: [id], delayMs: 50 });
    const slow = read(other).catch(() => undefined);
    const first = await Promise.race([slow, read()]);
    expect(first?.body.data.id).toBe(id);
  });

  it("strikes only the operations and the ids that it names, whatever their case, and only so many times", async () => {
    const other = await service.create();
    await strike({ operations: ["getInvoice"], ids: [id.toUpperCase()], answer: "500", times: 2 });
    expect((await service.api("GET", "/api/v1/banks")).status).toBe(200);
    const statuses = [await read(), await read(other), await read(), await read()].map(
      ({ status }) => status,
    );
    expect(statuses).toEqual([500, 200, 500, 200]);
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

  const HTML = "text/html; charset=utf-8";
  it.each<[string, number, string | null]>([
    ["bare-404", 404, null],
    ["json-404", 404, "application/json"],
    ["html-502", 502, HTML],
    ["empty-200", 200, null],
    ["no-content", 204, null],
    ["redirect", 302, null],
  ])("%s: none of the provider's envelope", async (answer, status, type) => {
    await strike({ answer });
    const reply = await fetch(`${service.url}/api/v1/invoices/${id}`, { redirect: "manual" });
    expect([reply.status, reply.headers.get("content-type")]).toEqual([status, type]);
    expect(reply.headers.get("location")).toBe(answer === "redirect" ? "/login" : null);
    const text = await reply.text();
    expect(text === "").toBe(type === null);
    expect(text).not.toContain('"status"');
  });
});

it("the folder's README shows faults that the service takes, and names every answer and variant", async () => {
  const file = resolve(import.meta.dirname, "../../../src/sandbox/provider/README.md");
  const readme = await readFile(file, "utf8");
  const [, example = ""] = /```json\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(parseFaults(example).api).toHaveLength(1);
  const words = [...CALLBACK_VARIANTS, ...API_ANSWERS].filter((word) => !readme.includes(`\`${word}\``));
  expect(words).toEqual([]);
});
