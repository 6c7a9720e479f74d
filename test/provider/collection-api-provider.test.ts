import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { collectionApiProvider } from "../../src/provider/collection-api-provider.ts";
import type {
  Answer,
  AskOptions,
  CollectionAnswer,
  PageAnswer,
  Provider,
} from "../../src/provider/provider.ts";
import {
  invoiceAnswer,
  NOT_FOUND,
  type Script,
  type ScriptedProvider,
  startScriptedProvider,
} from "../support/scripted-provider.ts";

const KEY = "a-key-that-nobody-may-see";
const AMOUNT = "1500.50";
const invoiceId = randomUUID();
const collectionId = randomUUID();

const page = { page: 1, pageSize: 2, totalCount: 1, hasNextPage: false, hasPreviousPage: false };
const items = [{ id: invoiceId, amount: 1500.5, status: "Paid" }];
const collection = { id: collectionId, collectionName: "Term 1" };

const refusal = (status: number, headers: Record<string, string> = {}): Script => ({
  status,
  body: { status, message: `No, ${KEY}`, type: "Refused", errors: [`key: ${KEY}`] },
  headers,
});

const webPage = (status: number): Script => ({
  status,
  body: `<html><title>${KEY}</title></html>`,
  headers: { "content-type": "text/html" },
});

/** What is answered, whatever was asked for. */
const ANSWERS = {
  works({ url = "" }, response) {
    if (url === `/api/v1/invoices/${invoiceId}`) return send(response, invoiceAnswer(invoiceId));
    const data = url.includes("/invoices?") ? { ...page, items } : collection;
    const known = url.includes(collectionId);
    send(response, known ? { status: 200, body: { status: "success", message: "ok", data } } : NOT_FOUND);
  },
  "knows nothing": NOT_FOUND,
  "bare 404": webPage(404),
  "401": refusal(401),
  "403": refusal(403),
  "429": refusal(429),
  "429 for 120 s": refusal(429, { "retry-after": "120" }),
  "500": refusal(500),
  "a web page": webPage(200),
  "a redirect": { status: 302, body: "", headers: { location: "http://127.0.0.1:1/" } },
  "broken JSON": { status: 200, body: `{"status":200,"data":{"id":"${KEY}` },
  "half an answer": (_request, response) => {
    response.writeHead(200, { "content-length": "1000" }).write('{"status":');
    setImmediate(() => response.destroy());
  },
  "hangs up": (request) => void request.socket.destroy(),
  silence: () => undefined,
  "another id": invoiceAnswer(randomUUID(), { title: KEY }),
  "no amount": (request, response) => {
    const id = request.url?.split("/").at(-1);
    response.end(JSON.stringify({ status: 200, message: "ok", data: { id, status: "Paid", title: KEY } }));
  },
} satisfies Record<string, Script>;

type Situation = keyof typeof ANSWERS;

function send(response: Parameters<Extract<Script, (...given: never[]) => void>>[1], script: Script): void {
  if (typeof script !== "object") throw new Error("only an answer that is known can be sent");
  response.writeHead(script.status, { "content-type": "application/json" }).end(JSON.stringify(script.body));
}

type Expected = Record<string, unknown>;

const error = expect.stringMatching(/\S/);
const fault = { kind: "fault", error };
const refused = { kind: "key_refused", error };

/** What each situation means, whatever was asked for. */
const REFUSALS: [Situation, Expected][] = [
  ["bare 404", { kind: "not_found", inOwnWords: false, error }],
  ["401", refused],
  ["403", refused],
  ["429", { kind: "rate_limited", retryAfterMs: null, error }],
  ["429 for 120 s", { kind: "rate_limited", retryAfterMs: 120_000, error }],
  ["500", fault],
  ["a web page", fault],
  ["a redirect", fault],
  ["broken JSON", fault],
  ["half an answer", fault],
  ["hangs up", fault],
  ["silence", fault],
];

/** A time-out that only silence meets, and one that nothing is to meet, in ms. */
const timeoutOf = (situation: Situation) => (situation === "silence" ? 200 : 20_000);

describe("the Collection API's adapter", () => {
  let far: ScriptedProvider;
  let provider: Provider;
  beforeAll(async () => {
    far = await startScriptedProvider();
    provider = collectionApiProvider({ baseUrl: far.url, apiKey: KEY });
  });
  afterAll(async () => {
    await far?.close();
    await provider?.close();
  });

  const meet = (situation: Situation) => far.otherwise(ANSWERS[situation]);
  const ask = (options: AskOptions & { onExchanged?: () => void } = {}) =>
    provider.askInvoice(invoiceId, { timeoutMs: 20_000, ...options });
  const read = (options: AskOptions = {}) =>
    provider.readPage(
      { collectionId: collectionId, page: 1, pageSize: 2, invoiceStatus: "Paid" },
      { timeoutMs: 20_000, ...options },
    );
  const get = (options: AskOptions = {}) =>
    provider.getCollection(collectionId, { timeoutMs: 20_000, ...options });
  const requests: [string, (options?: AskOptions) => Promise<Answer | PageAnswer | CollectionAnswer>][] = [
    ["asking for an invoice", ask],
    ["reading a page of the list", read],
    ["getting a collection", get],
  ];

  describe.each(requests)("%s", (_, ask) => {
    it.each(REFUSALS)("meets %s", async (situation, expected) => {
      meet(situation);
      const answer = await ask({ timeoutMs: timeoutOf(situation) });
      expect(answer).toEqual(expected);
      expect(JSON.stringify(answer)).not.toContain(KEY);
    });

    it("is interrupted before it begins", async () => {
      meet("works");
      expect(await ask({ signal: AbortSignal.abort() })).toEqual({ kind: "interrupted" });
    });

    it("is interrupted while the provider is silent", async () => {
      meet("silence");
      const stop = new AbortController();
      const answer = ask({ signal: stop.signal });
      stop.abort();
      expect(await answer).toEqual({ kind: "interrupted" });
    });
  });

  describe("asking for an invoice", () => {
    it("finds it, with the document as it came", async () => {
      meet("works");
      const before = new Date();
      const answer = await ask();
      expect(answer).toMatchObject({
        kind: "found",
        invoice: { id: invoiceId, amount: AMOUNT, status: "Paid" },
        document: { id: expect.anything(), amount: expect.anything() },
      });
      const { receivedAt } = answer as Extract<Answer, { kind: "found" }>;
      expect(receivedAt.getTime()).toBeGreaterThanOrEqual(before.getTime());
    });

    it("hears in the provider's own words that there is none", async () => {
      meet("knows nothing");
      expect(await ask()).toEqual({ kind: "not_found", inOwnWords: true, error });
    });

    it.each(["another id", "no amount"] as const)(
      "keeps an answer with %s as evidence",
      async (situation) => {
        meet(situation);
        const answer = await ask();
        expect(answer).toEqual({
          kind: "outside_contract",
          error,
          evidence: expect.stringContaining('"data"'),
        });
        expect(JSON.stringify(answer)).not.toContain(KEY);
      },
    );

    it.each(["works", "401", "429", "500", "broken JSON", "hangs up"] as const)(
      "says once that the exchange is over, before the answer is read: %s",
      async (situation) => {
        meet(situation);
        const told: string[] = [];
        await ask({ onExchanged: () => told.push("exchanged") }).then(() => told.push("answered"));
        expect(told).toEqual(["exchanged", "answered"]);
      },
    );

    it("does not say so while the provider is silent", async () => {
      meet("silence");
      const stop = new AbortController();
      const onExchanged = vi.fn();
      const answer = ask({ onExchanged, signal: stop.signal });
      await get({ timeoutMs: 200 });
      expect(onExchanged).not.toHaveBeenCalled();
      stop.abort();
      expect(await answer).toEqual({ kind: "interrupted" });
    });
  });

  it("gives a page's items and whether there is more, and a collection's name", async () => {
    meet("works");
    expect(await read()).toMatchObject({
      kind: "page",
      page: { items: [{ id: invoiceId, status: "Paid" }], hasNextPage: false, totalCount: 1 },
    });
    expect(await get()).toMatchObject({ kind: "found", collection });
  });

  describe("proving the key", () => {
    const unclear = { kind: "unclear", error };
    it.each<[Situation, Expected]>([
      ["knows nothing", { kind: "taken" }],
      ["401", { kind: "refused", error }],
      ["403", { kind: "refused", error }],
      ["bare 404", unclear],
      ["429", unclear],
      ["500", unclear],
      ["a web page", unclear],
      ["silence", unclear],
    ])("with %s", async (situation, expected) => {
      meet(situation);
      const proof = await provider.proveKey({ timeoutMs: timeoutOf(situation) });
      expect(proof).toEqual(expected);
      expect(JSON.stringify(proof)).not.toContain(KEY);
    });

    it("that is interrupted says so, and nothing of the key", async () => {
      meet("works");
      expect(await provider.proveKey({ signal: AbortSignal.abort() })).toEqual({
        kind: "unclear",
        error: expect.not.stringContaining("made up"),
      });
    });
  });
});
