import { randomUUID } from "node:crypto";
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

  it.each(corpus)("$group: $name", async (callback) => {
    const { kind, ids, foundBy } = callback.expected;
    expect(await read(callback)).toMatchObject(
      kind === "ids" ? { kind, invoiceIds: ids, foundBy } : { kind },
    );
  });
});

describe("a document beyond the limits is none; its UUIDs are scanned for (G12)", () => {
  const request = { method: "POST", query: "", reference: null, contentType: null, contentEncoding: null };
  const foundIn = async (body: string) => {
    const reading = await readCallback({ ...request, body: Buffer.from(body) });
    return reading.kind === "ids" ? [reading.foundBy, reading.invoiceIds] : reading.kind;
  };
  const id = randomUUID();

  it.each([
    ["nested a hundred deep", `${'{"data":'.repeat(100)}{"id":"${id}"}${"}".repeat(100)}`],
    ["of many thousand members", `[${"0,".repeat(20_000)}"${id}"]`],
  ])("%s", async (_what, body) => {
    expect(await foundIn(body)).toEqual(["scan", [id]]);
  });

  it("brackets inside of text are no nesting", async () => {
    const note = `\\" ${"[{".repeat(500)}`;
    expect(await foundIn(JSON.stringify({ note, data: { id } }))).toEqual(["data.id", [id]]);
  });
});

describe("the other UUIDs of a callback, by which erasing finds it", () => {
  const [id, ...others] = Array.from({ length: 6 }, () => randomUUID());
  const request = { method: "POST", contentType: null, contentEncoding: null };

  it("are those of its query, reference and body, whatever else is found in it", async () => {
    const [inQuery, inReference, inBody, inText, inNote] = others;
    const body = JSON.stringify({
      data: { id, parent: inBody, billerMetaData: { order: randomUUID() }, note: `of ${inNote}` },
      more: JSON.stringify({ of: inText }),
    });
    const reading = await readCallback({
      ...request,
      query: `a=${inQuery}&collectionId=${randomUUID()}`,
      reference: `order ${inReference}`,
      body: Buffer.from(body),
    });
    expect(reading).toMatchObject({ invoiceIds: [id] });
    expect(reading.kind !== "too_large" && reading.alsoNamed.sort()).toEqual(others.sort());
  });

  it("are none in the documented callback", async () => {
    const body = { id: randomUUID(), event: "payment.successful", data: { id, collectionId: randomUUID() } };
    const reading = { ...request, query: "", reference: null, body: Buffer.from(JSON.stringify(body)) };
    expect(await readCallback(reading)).toMatchObject({ invoiceIds: [id], alsoNamed: [] });
  });

  it("are those beyond the limits too", async () => {
    const ids = Array.from({ length: 150 }, () => randomUUID());
    const body = Buffer.from(JSON.stringify({ events: ids.map((one) => ({ data: { id: one } })) }));
    const reading = await readCallback({ ...request, query: "", reference: null, body });
    expect(reading).toMatchObject({ invoiceIds: ids.slice(0, 100), alsoNamed: ids.slice(100) });
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
  ])("repeats nothing of %s that the sender wrote", async (_shape, { query, body }) => {
    const reading = await readCallback({ ...request, query, body: Buffer.from(body) });
    expect(reading.kind).toBe("unreadable");
    expect(JSON.stringify(reading)).not.toMatch(/someone|example/i);
  });

  it("takes the first UUID of a reference, which names one invoice", async () => {
    const [id, other] = ["aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"];
    const callback = { ...request, reference: `${id}/${other}`, query: "", body: Buffer.from("") };
    const expected = { kind: "ids", invoiceIds: [id], foundBy: "reference", alsoNamed: [other] };
    expect(await readCallback(callback)).toEqual(expected);
  });

  it("names the place in our own spelling, whatever the sender's", async () => {
    const body = Buffer.from('{"DATA":{"INVOICE_ID":"aaaaaaaa-0000-4000-8000-000000000001"}}');
    const reading = await readCallback({ ...request, query: "", body });
    expect(reading).toMatchObject({ kind: "ids", foundBy: "data.invoiceId" });
  });

  it("leaves the bytes it was given as they were", async () => {
    const body = Buffer.from('{"data":"{\\"id\\":\\"aaaaaaaa-0000-4000-8000-000000000001\\"}"}');
    const before = Buffer.from(body);
    await readCallback({ ...request, query: "", body });
    expect(body.equals(before)).toBe(true);
  });
});
