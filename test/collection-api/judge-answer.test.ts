import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { invoiceRead } from "../../src/collection-api/contract/index.ts";
import { judgeAnswer, retryAfterMs, retryDelayMs } from "../../src/collection-api/judge-answer.ts";

const NOW = new Date("2026-11-01T10:00:00Z");
const KEY = "the provider refuses the key";
const KIND = "the provider wants another kind of key for it, Live or Test";
const CLOSED = "the collection is not open";

type Headers = Record<string, string | string[] | undefined>;

/** What an answer means to who waits for `{ id }`. */
const judged = (status: number, body: unknown, headers: Headers = {}) =>
  judgeAnswer(
    { status, headers, text: typeof body === "string" ? body : JSON.stringify(body) },
    z.object({ id: z.string() }),
    NOW,
  );

const success = { status: "success", message: "Fine", data: { id: "a", more: 1 } };

describe("an answer that succeeds", () => {
  it("gives the data as read, and what it was read from", () => {
    const text = JSON.stringify(success);
    expect(judged(200, success)).toEqual({
      data: { id: "a" },
      document: { id: "a", more: 1 },
      leftOut: false,
      message: "Fine",
      text,
    });
    expect(judged(299, { status: 200, data: { id: "a" } })).toMatchObject({ data: { id: "a" }, message: "" });
    expect(judged(200, `\uFEFF${text}`)).toMatchObject({ data: { id: "a" } });
  });

  it.each<[string, Headers]>([
    ["no header", {}],
    ["an empty header", { "content-encoding": "" }],
    ["the name for none", { "content-encoding": "Identity" }],
    ["the name for none, among several", { "content-encoding": ["identity", "identity"] }],
  ])("is not encoded, says %s", (_, headers) => {
    expect(judged(200, success, headers)).toMatchObject({ data: { id: "a" } });
  });

  it("without content is one where no data is awaited", () => {
    const nothing = judgeAnswer({ status: 204, headers: {}, text: "" }, z.unknown(), NOW);
    expect(nothing).toEqual({ data: undefined, document: undefined, message: "", text: "", leftOut: false });
  });
});

describe("what an HTTP status means, and how it is put", () => {
  it.each([
    [199, "outside_contract", "answered outside the contract"],
    [206, "outside_contract", "answered outside the contract"],
    [300, "redirected", "the provider answers with a redirect, which is not followed: check the base URL"],
    [304, "outside_contract", "answered outside the contract"],
    [399, "redirected", "the provider answers with a redirect, which is not followed: check the base URL"],
    [400, "invalid", "the provider calls the request wrong"],
    [401, "key_refused", KEY],
    [403, "key_refused", KEY],
    [404, "not_found", "the provider knows no such id"],
    [408, "timeout", "the provider waited too long for the request"],
    [409, "rule_refused", "the provider's rules refuse it"],
    [412, "rule_refused", "the provider's rules refuse it"],
    [429, "rate_limited", "the provider asks for fewer requests"],
    [499, "invalid", "the provider calls the request wrong"],
    [500, "server_fault", "the provider failed"],
    [599, "server_fault", "the provider failed"],
  ])("%i: %s", (status, kind, detail) => {
    const text = '{"status":"error","message":"No.","errors":["a","b"]}';
    expect(judged(status, text, { "retry-after": ["3", "9"] })).toEqual({
      ...{ kind, detail, status, providerMessage: "No.", problems: ["a", "b"] },
      ...{ retryAfterMs: 3_000, evidence: text, inEnvelope: false },
    });
    expect(judged(status, success)).toMatchObject({ kind, detail });
    expect(judged(status, "<html>")).toEqual({
      ...{ kind, detail, status, providerMessage: undefined, problems: undefined },
      ...{ retryAfterMs: undefined, evidence: "<html>", inEnvelope: false },
    });
  });

  it.each([
    [" 404 ", "not_found"],
    ["500", "server_fault"],
    ["1404", undefined],
    ["4040", undefined],
    ["300", undefined],
  ])("under HTTP 200 the envelope's status %j says so too", (status, kind) => {
    expect(judged(200, { ...success, status })).toMatchObject({ kind: kind ?? "outside_contract" });
  });
});

describe("what a 403 means, by its words", () => {
  it.each([
    [{ message: "The collection is disabled" }, CLOSED],
    [{ type: "COLLECTION_NOT_ACTIVE" }, CLOSED],
    [{ errors: ["collection: archived"] }, CLOSED],
    [{ message: "The collection is fine" }, KEY],
    [{ message: "Your account is disabled" }, KEY],
    [{ message: "Recollection disabled" }, KEY],
    [{ message: "This key is for the sandbox" }, KIND],
    [{ type: "KEY", errors: ["mode"] }, KIND],
    [{ message: "This key is not known" }, KEY],
    [{ message: "Only in production" }, KEY],
    [{ message: "The monkey is live" }, KEY],
    [{ message: `The key ${"x".repeat(2_000)} live` }, KEY],
  ])("%j", (words, detail) => {
    expect(judged(403, words)).toMatchObject({ detail });
  });
});

describe("the refusals that the interface words", () => {
  const UNKNOWN = "Invoice with the given Id does not exist";
  const NOT_PAYABLE = "The invoice has already been paid or is no longer valid";

  it.each([
    [UNKNOWN, "not_found"],
    [` INVOICE with the given  id: does not exist! `, "not_found"],
    [NOT_PAYABLE, "rule_refused"],
  ])("%j counts under any status, as message or as error", (message, kind) => {
    for (const status of [200, 400, 500]) {
      expect(judged(status, { status: "error", message })).toMatchObject({ kind });
      expect(judged(status, { status: "error", errors: ["Hm", message] })).toMatchObject({ kind });
      expect(judged(status, { status: "error", message, data: null })).toMatchObject({ kind });
    }
  });

  it("do not count beside data, within other words, or behind twenty errors", () => {
    expect(judged(200, { ...success, message: UNKNOWN })).toMatchObject({ data: { id: "a" } });
    const errors = (count: number) => [...Array.from({ length: count }, () => "Hm"), UNKNOWN];
    expect(judged(500, { errors: errors(19) })).toMatchObject({ kind: "not_found" });
    const others = [
      { message: `${UNKNOWN} yet` },
      { errors: errors(20) },
      { message: `${UNKNOWN}${"!".repeat(200)}` },
    ];
    for (const other of others) expect(judged(500, other)).toMatchObject({ kind: "server_fault" });
    const longest = `${UNKNOWN}${"!".repeat(200 - UNKNOWN.length)}`;
    expect(judged(500, { message: longest })).toMatchObject({ kind: "not_found" });
  });

  it.each<[object, boolean]>([
    [{ message: UNKNOWN }, true],
    [{ status: 404, message: "No.", type: "X" }, true],
    [{ status: 404, message: "No." }, false],
    [{ status: 404, type: "X" }, false],
    [{ message: "No.", type: "X" }, false],
    [[], false],
  ])("%j comes from the provider itself: %s", (body, inEnvelope) => {
    expect(judged(404, body)).toMatchObject({ kind: "not_found", inEnvelope });
  });
});

describe("a success that cannot be used says what is wrong, and is kept", () => {
  const OUTSIDE = "outside_contract";
  const deep = `${"[".repeat(65)}${"]".repeat(65)}`;
  const intricate = "answered with a document that is too deep, or of too many pieces, to be an answer";
  const envelope = "answered with an envelope that says neither success nor which failure";

  it.each<[string, string, object]>([
    ["no JSON", "{", { kind: "broken_json", detail: "answered with something that is not JSON" }],
    ["too deep", deep, { kind: OUTSIDE, detail: intricate }],
    ["too many pieces", `[${"0,".repeat(20_000)}0]`, { kind: OUTSIDE, detail: intricate }],
    ["no envelope", "[]", { kind: OUTSIDE, detail: envelope }],
    ["no status", '{"message":"Hm"}', { kind: OUTSIDE, detail: envelope, providerMessage: "Hm" }],
    [
      "another id",
      '{"status":200,"data":{"id":5}}',
      { kind: OUTSIDE, detail: "answered outside the contract", problems: ["data: id should be text"] },
    ],
  ])("%s", (_, evidence, expected) => {
    const outcome = judged(200, evidence);
    expect(outcome).toEqual({ status: 200, evidence, ...expected });
  });

  it("too intricate only in a field of its data, it is read without that field, and says so", () => {
    const deepField = `${'{"a":'.repeat(3_000)}"]}\\""${"}".repeat(3_000)}`;
    for (const field of [deepField, `[${"1,".repeat(50_000)}1]`]) {
      const data = `{"id":"x","status":"Paid","amount":1.10,"billerMetaData":${field},"vat":[{"a":1}],"more":"{["}`;
      const text = `{"status":200,"message":"Read","data":${data}}`;
      expect(judgeAnswer({ status: 200, headers: {}, text }, invoiceRead, NOW)).toMatchObject({
        data: { id: "x", amount: "1.10", billerMetaData: {} },
        document: {
          billerMetaData: expect.stringContaining(hash("sha256", field)),
          vat: [{ a: 1 }],
          more: "{[",
        },
        ...{ leftOut: true, text },
      });
    }
  });

  it("a page of a thousand invoices is not too intricate to be read", () => {
    const item = `{"id":"x","title":"a, b","amount":1500.50,"status":"Paid","payerName":"{[","payerEmail":null,"dateCreated":"d","datePaid":null}`;
    const items = Array.from({ length: 1_000 }, () => item).join(",\n");
    const text = `{"status":200,"message":"Read","data":{"id":"a","items":[${items}],"page":1}}`;
    expect(judged(200, text)).toMatchObject({ message: "Read" });
  });

  it("64 levels and a failure in a document of any depth are read", () => {
    const bare = `${"[".repeat(64)}${"]".repeat(64)}`;
    expect(judged(200, bare)).toMatchObject({ detail: envelope });
    expect(judged(503, deep)).toMatchObject({ kind: "server_fault" });
  });

  it("an encoding that nobody asked for", () => {
    const detail = "answered in an encoding that nobody asked for";
    for (const coding of ["gzip", ["br", "identity"]])
      expect(judged(200, success, { "content-encoding": coding })).toEqual({
        kind: OUTSIDE,
        detail,
        status: 200,
      });
  });
});

describe("Retry-After", () => {
  it.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    [" ", undefined],
    [" 12 ", 12_000],
    ["1.5", undefined],
    ["12 s", undefined],
    ["s 12", undefined],
    ["86401", 86_400_000],
    ["Sun, 01 Nov 2026 10:00:05 GMT", 5_000],
    ["Sunday, 01-Nov-26 10:00:05 GMT", 5_000],
    ["Sun Nov  1 10:00:05 2026 GMT", 5_000],
    ["Sun, 01 Nov 2026 09:59:59 GMT", 0],
    ["Tue, 03 Nov 2026 10:00:00 GMT", 86_400_000],
    ["2026-11-01T10:00:05Z", undefined],
    ["Sun,01 Nov 2026 10:00:05 GMT", undefined],
    ["sun, 01 Nov 2026 10:00:05 GMT", undefined],
    ["Sun, soon", undefined],
  ])("%j is %j ms", (header, ms) => {
    expect(retryAfterMs(header, NOW)).toBe(ms);
  });

  it("that is a date counts from the answer's own date, whatever this machine's clock says", () => {
    const headers = { date: "Wed, 04 Nov 2026 10:00:00 GMT", "retry-after": "Wed, 04 Nov 2026 10:00:05 GMT" };
    expect(judged(429, "", headers)).toMatchObject({ retryAfterMs: 5_000 });
    expect(judged(429, "", { ...headers, date: "now" })).toMatchObject({ retryAfterMs: 86_400_000 });
  });

  it("is waited for, and a little longer; without one the wait doubles from 200 ms to 5 s at most", () => {
    expect(retryDelayMs(3, 700, 0)).toBe(700);
    expect(retryDelayMs(3, 700, 0.5)).toBe(750);
    expect(retryDelayMs(3, 0, 1)).toBe(100);
    expect([1, 2, 3, 5, 6, 60].map((attempt) => retryDelayMs(attempt, undefined, 1))).toEqual([
      200, 400, 800, 3_200, 5_000, 5_000,
    ]);
    expect(retryDelayMs(2, undefined, 0.5)).toBe(200);
    expect(retryDelayMs(2, undefined, 0)).toBe(0);
  });
});
