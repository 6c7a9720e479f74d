import { describe, expect, it } from "vitest";
import { readCallback } from "../../../src/receive/reading/read-callback.ts";
import { type CorpusCase, loadCorpus } from "../corpus/load-corpus.ts";

const limits = { inflatedBytes: 262_144 };
const corpus = loadCorpus();

function read(callback: CorpusCase) {
  return readCallback(
    {
      method: callback.method,
      query: callback.query,
      reference: referenceOf(callback.path),
      contentType: callback.headers["content-type"] ?? null,
      contentEncoding: callback.headers["content-encoding"] ?? null,
      body: callback.body,
    },
    limits,
  );
}

function referenceOf(path: string): string | null {
  if (path === "") return null;
  try {
    return decodeURIComponent(path.slice(1));
  } catch {
    return path.slice(1);
  }
}

describe("the corpus of callbacks", () => {
  it("holds at least 60 callbacks, each with a name of its own", () => {
    const names = corpus.map(({ group, name }) => `${group}: ${name}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(60);
  });

  it.each(corpus)("$group: $name", (callback) => {
    const { kind, ids, foundBy } = callback.expected;
    const reading = read(callback);
    expect(reading).toEqual(
      kind === "ids"
        ? { kind, invoiceIds: ids, foundBy }
        : kind === "unreadable"
          ? { kind, why: expect.stringMatching(/holds? no|holds a UUID/) }
          : { kind },
    );
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
    const reading = readCallback({ ...request, query, body: Buffer.from(body) }, limits);
    expect(reading.kind).toBe("unreadable");
    expect(JSON.stringify(reading)).not.toMatch(/someone|example/i);
  });

  it("names the place in our own spelling, whatever the sender's", () => {
    const body = Buffer.from('{"DATA":{"INVOICE_ID":"aaaaaaaa-0000-4000-8000-000000000001"}}');
    const reading = readCallback({ ...request, query: "", body }, limits);
    expect(reading).toMatchObject({ kind: "ids", foundBy: "data.invoiceId" });
  });

  it("leaves the bytes it was given as they were", () => {
    const body = Buffer.from('{"data":"{\\"id\\":\\"aaaaaaaa-0000-4000-8000-000000000001\\"}"}');
    const before = Buffer.from(body);
    readCallback({ ...request, query: "", body }, limits);
    expect(body.equals(before)).toBe(true);
  });
});
