import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { collectionApiProvider } from "../../src/provider/collection-api-provider.ts";
import type { AskOptions, Provider } from "../../src/provider/provider.ts";
import {
  type Answer,
  type Handler,
  type StubProvider,
  startStubProvider,
} from "./collection-api/stub-provider.ts";

const KEY = "a-key-that-nobody-may-see";
const invoiceId = randomUUID();
const collectionId = randomUUID();

const paid = (id: string) => ({
  status: 200,
  message: "ok",
  data: { id, status: "Paid", amount: 1500.5, title: KEY },
});
const collection = { id: collectionId, collectionName: "Term 1" };
const page = { items: [{ id: invoiceId, status: "Paid" }], totalCount: 1, hasNextPage: false };

const refusal = (status: number, headers: Record<string, string> = {}): Answer => ({
  status,
  body: { status, message: `No, ${KEY}`, type: "Refused", errors: [`key: ${KEY}`] },
  headers,
});
const webPage = (status: number): Answer => ({
  status,
  body: `<html><title>${KEY}</title></html>`,
  headers: { "content-type": "text/html" },
});
const UNKNOWN = { status: 404, message: "Invoice with the given Id does not exist", type: "X", errors: [] };

/** What is answered, whatever was asked for. */
const ANSWERS = {
  works: ({ url }) => {
    if (url.endsWith(invoiceId)) return { body: paid(invoiceId) };
    const data = url.includes("/invoices?") ? page : collection;
    return url.includes(collectionId)
      ? { body: { status: "success", data } }
      : { status: 404, body: UNKNOWN };
  },
  "knows nothing": () => ({ status: 404, body: UNKNOWN }),
  "bare 404": () => webPage(404),
  "401": () => refusal(401),
  "403": () => refusal(403),
  "429": () => refusal(429),
  "429 for 120 s": () => refusal(429, { "retry-after": "120" }),
  "500": () => refusal(500),
  "a web page": () => webPage(200),
  "a redirect": () => ({ status: 302, body: "", headers: { location: "http://127.0.0.1:1/" } }),
  "broken JSON": () => ({ body: `{"status":200,"data":{"id":"${KEY}` }),
  "hangs up": (_, response) => void response.destroy(),
  silence: () => undefined,
  "another id": () => ({ body: paid(randomUUID()) }),
  "no amount": ({ url }) => ({
    body: { status: 200, data: { id: url.split("/").at(-1), status: "Paid", title: KEY } },
  }),
} satisfies Record<string, Handler>;

type Situation = keyof typeof ANSWERS;
type Expected = Record<string, unknown>;

const error = expect.stringMatching(/\S/);
const fault = { kind: "fault", error };
const refused = { kind: "key_refused", error };
const odd = { kind: "outside_contract", error, evidence: expect.stringContaining('"data"') };

/** A time-out that only silence meets, and one that nothing is to meet, in ms. */
const timeoutOf = (situation: Situation) => (situation === "silence" ? 200 : 20_000);

describe("the Collection API's adapter", () => {
  let answer: Handler;
  let far: StubProvider;
  let provider: Provider;
  beforeAll(async () => {
    far = await startStubProvider((...request) => answer(...request));
    provider = collectionApiProvider({ baseUrl: far.url, apiKey: KEY });
  });
  afterAll(async () => {
    await far?.[Symbol.asyncDispose]();
    await provider?.close();
  });

  const meet = (situation: Situation) => {
    answer = ANSWERS[situation];
  };
  const ask = (options: AskOptions & { onResponse?: () => void } = {}) =>
    provider.askInvoice(invoiceId, { timeoutMs: 20_000, ...options });
  const read = (options: AskOptions = {}) =>
    provider.readPage({ collectionId, page: 1, pageSize: 2 }, { timeoutMs: 20_000, ...options });
  const get = (options: AskOptions = {}) =>
    provider.getCollection(collectionId, { timeoutMs: 20_000, ...options });

  it("finds an invoice with the document as it came, a page's items, a collection's name", async () => {
    meet("works");
    expect(await ask()).toMatchObject({
      kind: "found",
      invoice: { id: invoiceId, amount: "1500.50", status: "Paid" },
      document: { id: invoiceId, amount: 1500.5 },
      receivedAt: expect.any(Date),
    });
    expect(await read()).toMatchObject({ kind: "page", page });
    expect(await get()).toMatchObject({ kind: "found", collection });
  });

  it("cuts a status without end to 200 characters", async () => {
    const status = "Waiting ".repeat(10_000);
    answer = () => ({ body: { status: 200, data: { ...paid(invoiceId).data, status } } });
    expect(await ask()).toMatchObject({ invoice: { status: status.slice(0, 200) } });
  });

  it.each<[Situation, Expected]>([
    ["knows nothing", { kind: "not_found", inOwnWords: true, error }],
    ["bare 404", { kind: "not_found", inOwnWords: false, error }],
    ["401", refused],
    ["429", { kind: "rate_limited", retryAfterMs: null, error }],
    ["429 for 120 s", { kind: "rate_limited", retryAfterMs: 120_000, error }],
    ["500", fault],
    ["a redirect", fault],
    ["broken JSON", fault],
    ["hangs up", fault],
    ["silence", fault],
    ["another id", odd],
    ["no amount", odd],
  ])(
    "meets %s: for an invoice, and where it may come, for a page and a collection",
    async (situation, expected) => {
      meet(situation);
      const options = { timeoutMs: timeoutOf(situation) };
      const asking = expected === odd ? [ask] : [ask, read, get];
      const answers = await Promise.all(asking.map((one) => one(options)));
      for (const one of answers) expect(one).toEqual(expected);
      expect(JSON.stringify(answers)).not.toContain(KEY);
    },
  );

  it.each([
    ["an invoice", ask],
    ["a page", read],
    ["a collection", get],
  ])("asking for %s is interrupted before it begins, and while the provider is silent", async (_, asking) => {
    meet("silence");
    expect(await asking({ signal: AbortSignal.abort() })).toEqual({ kind: "interrupted" });
    const [stop, onResponse] = [new AbortController(), vi.fn()];
    const interrupted = asking({ onResponse, signal: stop.signal });
    // By then the first has long arrived.
    await get({ timeoutMs: 200 });
    expect(onResponse).not.toHaveBeenCalled();
    stop.abort();
    expect(await interrupted).toEqual({ kind: "interrupted" });
  });

  it.each(["works", "429", "broken JSON", "hangs up"] as const)(
    "says once that the request is over, before the answer is read: %s",
    async (situation) => {
      meet(situation);
      const told: string[] = [];
      await ask({ onResponse: () => told.push("over") }).then(() => told.push("answered"));
      expect(told).toEqual(["over", "answered"]);
    },
  );

  it.each<[Situation, Expected]>([
    ["knows nothing", { kind: "taken" }],
    ["401", { kind: "refused", error }],
    ["403", { kind: "refused", error }],
    ...(["bare 404", "429", "a web page", "silence"] as const).map((situation): [Situation, Expected] => [
      situation,
      { kind: "unclear", error },
    ]),
  ])("proves the key: %s", async (situation, expected) => {
    meet(situation);
    const proof = await provider.proveKey({ timeoutMs: timeoutOf(situation) });
    expect(proof).toEqual(expected);
    expect(JSON.stringify(proof)).not.toContain(KEY);
  });

  it("a proof that is interrupted says so, and nothing of the key", async () => {
    meet("works");
    expect(await provider.proveKey({ signal: AbortSignal.abort() })).toEqual({
      kind: "unclear",
      error: expect.not.stringContaining("made up"),
    });
  });
});
