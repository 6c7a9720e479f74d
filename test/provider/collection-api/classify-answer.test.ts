import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Secret } from "../../../src/platform/values/mask.ts";
import { classifyAnswer, retryAfterMs } from "../../../src/provider/collection-api/classify-answer.ts";
import {
  CollectionApiError,
  type FaultDetails,
} from "../../../src/provider/collection-api/collection-api-error.ts";
import { invoiceRead } from "../../../src/provider/collection-api/contract/index.ts";
import { expectGolden } from "../../support/golden.ts";

const NOW = new Date("2026-11-01T10:00:00Z");

type Headers = Record<string, string | string[] | undefined>;

/** What an answer means to who waits for `{ id }`. */
const decided = (status: number, body: unknown, headers: Headers = {}) =>
  classifyAnswer(
    { status, headers, text: typeof body === "string" ? body : JSON.stringify(body) },
    z.object({ id: z.string() }),
    NOW,
  );

const success = { status: "success", message: "Fine", data: { id: "a", more: 1 } };

describe("an answer that succeeds", () => {
  it("gives the data as read, and what it was read from", () => {
    const text = JSON.stringify(success);
    const read = { data: { id: "a" }, document: { id: "a", more: 1 } };
    expect(decided(200, success)).toEqual({ ...read, leftOut: false, message: "Fine", text });
    expect(decided(299, { status: 200, data: { id: "a" } })).toMatchObject({
      data: { id: "a" },
      message: "",
    });
    expect(decided(200, `\uFEFF${text}`)).toMatchObject({ data: { id: "a" } });
  });

  it.each<[string | string[], kind: string | undefined]>([
    ["", undefined],
    [["identity", "identity"], undefined],
    ["gzip", "outside_contract"],
    [["br", "identity"], "outside_contract"],
  ])("is not encoded, for nobody asked for it: %j", (coding, kind) => {
    const outcome = decided(200, success, { "content-encoding": coding });
    expect("kind" in outcome ? [outcome.kind, outcome.evidence] : []).toEqual(kind ? [kind, undefined] : []);
  });
});

describe("what an HTTP status means", () => {
  it.each([
    [206, "outside_contract"],
    [304, "outside_contract"],
    [400, "invalid"],
    [401, "key_refused"],
    [404, "not_found"],
    [408, "timeout"],
    [409, "rule_refused"],
    [429, "rate_limited"],
    [500, "server_fault"],
  ])("%i: %s", (status, kind) => {
    const text = '{"status":"error","message":"No.","errors":["a","b"]}';
    const detail = expect.any(String);
    expect(decided(status, text, { "retry-after": ["3", "9"] })).toEqual({
      ...{ kind, detail, status, providerMessage: "No.", problems: ["a", "b"] },
      ...{ retryAfterMs: 3_000, evidence: text, inEnvelope: false },
    });
    expect(decided(status, success)).toMatchObject({ kind });
    expect(decided(status, "<html>")).toEqual({
      ...{ kind, detail, status, providerMessage: undefined, problems: undefined },
      ...{ retryAfterMs: undefined, evidence: "<html>", inEnvelope: false },
    });
  });

  it.each([
    [" 404 ", "not_found"],
    ["500", "server_fault"],
    ["200", undefined],
    ["300", "outside_contract"],
  ])("under HTTP 200 the envelope's status %j says so too", (status, kind) => {
    const data = kind === undefined ? { id: "a" } : undefined;
    expect(decided(200, { ...success, status })).toMatchObject(JSON.parse(JSON.stringify({ kind, data })));
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
      expect(decided(status, { status: "error", message })).toMatchObject({ kind });
      expect(decided(status, { status: "error", errors: ["Hm", message] })).toMatchObject({ kind });
      expect(decided(status, { status: "error", message, data: null })).toMatchObject({ kind });
    }
  });

  it("do not count beside data, within other words, or behind twenty errors", () => {
    expect(decided(200, { ...success, message: UNKNOWN })).toMatchObject({ data: { id: "a" } });
    const errors = (count: number) => [...Array.from({ length: count }, () => "Hm"), UNKNOWN];
    expect(decided(500, { errors: errors(19) })).toMatchObject({ kind: "not_found" });
    for (const other of [{ message: `${UNKNOWN} yet` }, { errors: errors(20) }])
      expect(decided(500, other)).toMatchObject({ kind: "server_fault" });
  });

  it.each<[object, boolean]>([
    [{ message: UNKNOWN }, true],
    [{ status: 404, message: "No.", type: "X" }, true],
    [{ status: 404, message: "No." }, false],
    [{ status: 404, type: "X" }, false],
    [{ message: "No.", type: "X" }, false],
    [[], false],
  ])("%j comes from the provider itself: %s", (body, inEnvelope) => {
    expect(decided(404, body)).toMatchObject({ kind: "not_found", inEnvelope });
  });
});

describe("a success that cannot be used is kept", () => {
  const outside = { kind: "outside_contract" };
  const deep = `${"[".repeat(65)}${"]".repeat(65)}`;

  it.each<[string, string, object]>([
    ["no JSON", "{", { kind: "broken_json" }],
    ["too deep", deep, outside],
    ["too many pieces", `[${"0,".repeat(20_000)}0]`, outside],
    ["no envelope", "[]", outside],
    ["no status", '{"message":"Hm"}', { ...outside, providerMessage: "Hm" }],
    ["another type", '{"status":200,"data":{"id":5}}', { ...outside, problems: [expect.any(String)] }],
  ])("%s", (_, evidence, expected) => {
    expect(decided(200, evidence)).toEqual({
      status: 200,
      evidence,
      detail: expect.any(String),
      ...expected,
    });
  });

  it("too intricate only in a field of its data, it is read without that field, and says so", () => {
    const deepField = `${'{"a":'.repeat(3_000)}"]}\\""${"}".repeat(3_000)}`;
    for (const field of [deepField, `[${"1,".repeat(50_000)}1]`]) {
      const billerMetaData = expect.stringContaining(hash("sha256", field));
      const data = `{"id":"x","status":"Paid","amount":1.10,"billerMetaData":${field},"vat":[{"a":1}],"more":"{["}`;
      const text = `{"status":200,"message":"Read","data":${data}}`;
      expect(classifyAnswer({ status: 200, headers: {}, text }, invoiceRead, NOW)).toMatchObject({
        data: { id: "x", amount: "1.10", billerMetaData: {} },
        ...{ document: { billerMetaData, vat: [{ a: 1 }], more: "{[" }, leftOut: true, text },
      });
    }
  });

  it("a page of a thousand invoices is not too intricate to be read", () => {
    const item = `{"id":"x","title":"a, b","amount":1500.50,"status":"Paid","payerName":"{[","payerEmail":null,"dateCreated":"d","datePaid":null}`;
    const items = Array.from({ length: 1_000 }, () => item).join(",\n");
    const text = `{"status":200,"message":"Read","data":{"id":"a","items":[${items}],"page":1}}`;
    expect(decided(200, text)).toMatchObject({ message: "Read" });
  });

  it("is told apart for a person, and so are all refusals", async () => {
    const refused = [300, 400, 401, 404, 408, 409, 429, 500].map((status) => decided(status, "<html>"));
    const closed = ["The collection is disabled", "A Test key"].map((message) => decided(403, { message }));
    const odd = ["{", deep, "[]", '{"status":200,"data":{"id":5}}'].map((text) => decided(200, text));
    const twice = decided(400, { message: "amount is missing", errors: ["amount is missing", "title too"] });
    const coded = decided(200, success, { "content-encoding": "gzip" });
    const unknown = { ...decided(500, ""), outcomeUnknown: true };
    const faults = [...refused, ...closed, ...odd, twice, coded, unknown];
    const said = (one: unknown) =>
      new CollectionApiError("Get Invoice", one as FaultDetails, new Secret("no-such-word")).message;
    await expectGolden("answers-decided", faults.map(said).join("\n"));
  });
});

describe("Retry-After", () => {
  it.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    [" 12 ", 12_000],
    ["86401", 86_400_000],
    ["Sun, 01 Nov 2026 10:00:05 GMT", 5_000],
    ["Sun, 01 Nov 2026 09:59:59 GMT", 0],
    ["Tue, 03 Nov 2026 10:00:00 GMT", 86_400_000],
    ["2026-11-01T10:00:05Z", undefined],
  ])("%j is %j ms", (header, ms) => {
    expect(retryAfterMs(header, NOW)).toBe(ms);
  });

  it("that is a date counts from the answer's own date, whatever this machine's clock says", () => {
    const headers = { date: "Wed, 04 Nov 2026 10:00:00 GMT", "retry-after": "Wed, 04 Nov 2026 10:00:05 GMT" };
    expect(decided(429, "", headers)).toMatchObject({ retryAfterMs: 5_000 });
    expect(decided(429, "", { ...headers, date: "now" })).toMatchObject({ retryAfterMs: 86_400_000 });
  });
});
