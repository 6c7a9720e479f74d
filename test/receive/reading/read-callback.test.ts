import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readCallback } from "../../../src/receive/reading/read-callback.ts";
import { referenceOf } from "../../../src/receive/request-texts.ts";
import { type CorpusCase, loadCorpus } from "../corpus/load-corpus.ts";

const corpus = loadCorpus();

function read(callback: CorpusCase) {
  return readCallback({
    method: callback.method,
    query: callback.query,
    reference: referenceOf({ rest: callback.path }),
    contentType: callback.headers["content-type"] ?? null,
    contentEncoding: callback.headers["content-encoding"] ?? null,
    body: callback.body,
  });
}

describe("the corpus of callbacks", () => {
  it("holds at least 60 callbacks, each with a name of its own", () => {
    const names = corpus.map(({ group, name }) => `${group}: ${name}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(60);
  });

  it.each(corpus)("$group: $name", (callback) => {
    const { kind, ids, foundBy } = callback.expected;
    expect(read(callback)).toMatchObject(kind === "ids" ? { kind, invoiceIds: ids, foundBy } : { kind });
  });
});

describe("what lies beyond a limit is left unread, and the reading says so", () => {
  const request = { method: "POST", query: "", reference: null, contentType: null, contentEncoding: null };
  const readBody = (body: string | Buffer) => readCallback({ ...request, body: Buffer.from(body) });
  const ids = (count: number) => Array.from({ length: count }, () => randomUUID());

  it("four thousand fields are read of a form and of a query", () => {
    const [id] = ids(1);
    const fields = "a=1&".repeat(3_999);
    expect(readBody(`${fields}id=${id}`)).toMatchObject({ foundBy: "form:id", unread: [] });
    // What stands behind is still found as a UUID of the text.
    expect(readBody(`a=1&${fields}id=${id}`)).toMatchObject({ foundBy: "scan", unread: ["fields"] });
    const query = `${"&".repeat(4_001)}id=${id}`;
    expect(readCallback({ ...request, query, body: Buffer.from("") })).toMatchObject({
      foundBy: "query:scan",
      unread: ["fields"],
    });
  });

  it.each([
    ["nested a hundred deep", (id: string) => `${'{"data":'.repeat(100)}{"id":"${id}"}${"}".repeat(100)}`],
    ["of many thousand members", (id: string) => `[${"0,".repeat(20_000)}"${id}"]`],
    ["of many thousand lines", (id: string) => `${"{}\n".repeat(20_000)}{"id":"${id}"}`],
  ])("a document %s is no document; its UUIDs are scanned for", (_what, body) => {
    const [id = ""] = ids(1);
    const expected = { kind: "ids", invoiceIds: [id], foundBy: "scan", unread: ["document"] };
    expect(readBody(body(id))).toEqual(expected);
    expect(readBody(gzipSync(body(id)))).toEqual(expected);
  });

  it("brackets inside of text are no nesting", () => {
    const [id] = ids(1);
    const body = JSON.stringify({ note: `\\" ${"[{".repeat(500)}`, data: { id } });
    expect(readBody(body)).toMatchObject({ foundBy: "data.id", unread: [] });
  });
});

describe("what a reading says", () => {
  const sent = "someone@example.com";
  const request = { method: "POST", reference: sent, contentType: sent, contentEncoding: sent };

  it.each([
    ["a query", { query: `${sent}=${sent}`, body: "" }],
    ["a form", { query: "", body: `${sent}=${sent}` }],
    ["JSON", { query: "", body: JSON.stringify({ [sent]: sent }) }],
    ["text", { query: "", body: sent }],
  ])("repeats nothing of %s that the sender wrote", (_shape, { query, body }) => {
    const reading = readCallback({ ...request, query, body: Buffer.from(body) });
    expect(reading.kind).toBe("unreadable");
    expect(JSON.stringify(reading)).not.toMatch(/someone|example/i);
  });

  it("takes the first UUID of a reference, which names one invoice", () => {
    const [id, other] = ["aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"];
    const callback = { ...request, reference: `${id}/${other}`, query: "", body: Buffer.from("") };
    const expected = { kind: "ids", invoiceIds: [id], foundBy: "reference", unread: [] };
    expect(readCallback(callback)).toEqual(expected);
  });

  it("names the place in our own spelling, whatever the sender's", () => {
    const body = Buffer.from('{"DATA":{"INVOICE_ID":"aaaaaaaa-0000-4000-8000-000000000001"}}');
    const reading = readCallback({ ...request, query: "", body });
    expect(reading).toMatchObject({ kind: "ids", foundBy: "data.invoiceId" });
  });

  it("leaves the bytes it was given as they were", () => {
    const body = Buffer.from('{"data":"{\\"id\\":\\"aaaaaaaa-0000-4000-8000-000000000001\\"}"}');
    const before = Buffer.from(body);
    readCallback({ ...request, query: "", body });
    expect(body.equals(before)).toBe(true);
  });
});
