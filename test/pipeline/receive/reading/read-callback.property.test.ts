import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCallback } from "../../../../src/pipeline/receive/reading/read-callback.ts";
import { anyText } from "../../../support/any-text.ts";

const HOSTILE_KEYS = ["__proto__", "constructor", "prototype", "toString", "length", "", "\0", "\ud800"];
const LISTED_KEYS = ["id", "Id", "data", "DATA", "events", "invoiceId", "invoice", "payload", "items"];

const read = (document: unknown) =>
  readCallback({
    ...{ method: "POST", query: "", reference: null, contentType: null },
    body: Buffer.from(JSON.stringify(document)),
  });

const uuid = fc.uuid().filter((one) => !one.startsWith("00000000-0000-0000"));
const anyCase = fc.tuple(uuid, fc.boolean()).map(([one, capitals]) => (capitals ? one.toUpperCase() : one));
const key = fc.oneof(fc.constantFrom(...HOSTILE_KEYS, ...LISTED_KEYS), anyText());
/** JSON with UUIDs in it, at listed places as well as at others, and keys that bite. */
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(anyCase, anyText(), fc.double(), fc.boolean(), fc.constant(null)),
    fc.array(tie("json"), { maxLength: 5 }),
    fc.array(fc.tuple(key, tie("json")), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
const anyBody = fc.oneof(
  fc.uint8Array({ maxLength: 2_000 }),
  json.map((value) => Buffer.from(JSON.stringify(value) ?? "")),
  // A readable body with some bytes of it broken.
  fc.tuple(json, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 })).map(([value, breaks]) => {
    const bytes = Buffer.from(JSON.stringify(value) ?? "");
    for (const [at, byte] of breaks) if (bytes.length > 0) bytes[at % bytes.length] = byte;
    return bytes;
  }),
  fc.array(fc.tuple(key, anyCase)).map((fields) => {
    return Buffer.from(fields.map(([name, value]) => `${name}=${value}`).join("&"));
  }),
);
const anyRequest = fc.record({
  method: fc.constantFrom("POST", "GET", "HEAD"),
  query: anyText(),
  reference: fc.option(anyText()),
  contentType: fc.option(fc.string()),
  body: anyBody.map((bytes) => Buffer.from(bytes)),
});

describe("whatever the bytes", () => {
  it("a reading is one of its three kinds, of distinct lower-case UUIDs that stand in what was sent, five by a scan", async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest, async (any) => {
        const reading = readCallback(any);
        expect(["ids", "ping", "unreadable"]).toContain(reading.kind);
        if (reading.kind !== "ids") return;
        expect(reading.invoiceIds.length).toBeGreaterThan(0);
        expect(new Set(reading.invoiceIds).size).toBe(reading.invoiceIds.length);
        const sent = any.body.toString("latin1").toLowerCase();
        for (const id of reading.invoiceIds) {
          expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
          expect(sent).toContain(id);
        }
        if (reading.foundBy === "scan") expect(reading.invoiceIds.length).toBeLessThanOrEqual(5);
      }),
      { numRuns: 2_000 },
    );
  });

  it("no UUID in a body goes unasked, unless its key says that it is no invoice's", async () => {
    const nested = fc.array(fc.constantFrom("data", "x", "events", "id", "reference"), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(uuid, nested, async (id, path) => {
        const document = path.reduceRight<unknown>((inside, name) => ({ [name]: inside }), id);
        expect(await read(document)).toMatchObject({ invoiceIds: [id] });
      }),
    );
  });
});

describe("a planted data.id", () => {
  // What ranks above data.id says itself that it is an invoice, or is the same key once more.
  const rival = (name: string) => /^(invoice|invoice_?-?ids?|data|id)$/i.test(name);
  const without = (value: unknown, unwanted: (name: string) => boolean) =>
    Object.entries(typeof value === "object" && value !== null ? value : {}).filter(
      ([name]) => !unwanted(name) && name !== "__proto__",
    );

  it("is found whatever surrounds it, and no other id is", async () => {
    await fc.assert(
      fc.asyncProperty(anyCase, json, json, async (id, harness, beside) => {
        const document = {
          ...Object.fromEntries(without(harness, (name) => name.toLowerCase() === "data")),
          data: { ...Object.fromEntries(without(beside, rival)), id },
        };
        expect(await read(document)).toMatchObject({
          kind: "ids",
          invoiceIds: [id.toLowerCase()],
          foundBy: "data.id",
        });
      }),
      { numRuns: 1_000 },
    );
  });
});
