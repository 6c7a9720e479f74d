import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readCallback } from "../../../../src/pipeline/receive/reading/read-callback.ts";

describe("the other UUIDs of a callback, by which erasing finds it", () => {
  const [id, ...others] = Array.from({ length: 6 }, () => randomUUID());
  const request = { method: "POST", contentType: null };

  it("are those of its query, reference and body, whatever else is found in it", async () => {
    const [inQuery, inReference, inBody, inText, inNote] = others;
    const body = JSON.stringify({
      data: { id, parent: inBody, billerMetaData: { order: randomUUID() }, note: `of ${inNote}` },
      more: JSON.stringify({ of: inText }),
    });
    const reading = readCallback({
      ...request,
      query: `a=${inQuery}&collectionId=${randomUUID()}`,
      reference: `order ${inReference}`,
      body: Buffer.from(body),
    });
    expect(reading).toMatchObject({ invoiceIds: [id] });
    expect(reading.alsoNamed.sort()).toEqual(others.sort());
  });

  it("are none in the documented callback", async () => {
    const body = { id: randomUUID(), event: "payment.successful", data: { id, collectionId: randomUUID() } };
    const reading = { ...request, query: "", reference: null, body: Buffer.from(JSON.stringify(body)) };
    expect(readCallback(reading)).toMatchObject({ invoiceIds: [id], alsoNamed: [] });
  });

  it("are those beyond the limits too", async () => {
    const ids = Array.from({ length: 150 }, () => randomUUID());
    const body = Buffer.from(JSON.stringify({ events: ids.map((one) => ({ data: { id: one } })) }));
    const reading = readCallback({ ...request, query: "", reference: null, body });
    expect(reading).toMatchObject({ invoiceIds: ids.slice(0, 100), alsoNamed: ids.slice(100) });
  });
});

describe("what a reading says", () => {
  const sent = "someone@example.com";
  const request = { method: "POST", reference: sent, contentType: sent };

  it.each([
    ["a query", { query: `${sent}=${sent}`, body: "" }],
    ["a form", { query: "", body: `${sent}=${sent}` }],
    ["JSON", { query: "", body: JSON.stringify({ [sent]: sent }) }],
    ["text", { query: "", body: sent }],
  ])("repeats nothing of %s that the sender wrote", async (_shape, { query, body }) => {
    const reading = readCallback({ ...request, query, body: Buffer.from(body) });
    expect(reading.kind).toBe("unreadable");
    expect(JSON.stringify(reading)).not.toMatch(/someone|example/i);
  });
});
