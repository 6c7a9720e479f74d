import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { beforeAll, describe, expect, it } from "vitest";
import { invoicePaidJsonSchema } from "../../src/events/event-documents.ts";
import { invoicePaid } from "../../src/events/invoice-paid.ts";
import { parseUnsignedInvoicePaid } from "../../src/events/parse-invoice-paid.ts";

// What consumers of version 1 hold in their hands. Nothing in this folder may ever change: what does not fit
// it is a version 2, published beside version 1.
const folder = join(import.meta.dirname, "published/v1");
const published = JSON.parse(readFileSync(join(folder, "invoice.paid.schema.json"), "utf8"));
const payloads = readdirSync(join(folder, "payloads")).map((file) => ({
  file,
  payload: JSON.parse(readFileSync(join(folder, "payloads", file), "utf8")),
}));

type Draft = { properties: { data: { properties: Record<string, unknown>; required: string[] } } };
const changed = (change: (schema: Draft) => void): unknown => {
  const schema = structuredClone(published);
  change(schema);
  return schema;
};

describe("version 1 of the event", () => {
  let validate: ValidateFunction;
  beforeAll(() => {
    const ajv = new Ajv2020({ strict: true });
    addFormats.default(ajv);
    validate = ajv.compile(published);
  });

  it("is of today a JSON Schema to Ajv in strict mode", () => {
    const ajv = new Ajv2020({ strict: true });
    addFormats.default(ajv);
    expect(ajv.compile(invoicePaidJsonSchema())({ specversion: "1.0" })).toBe(false);
  });

  it("is what it was when it was published", () => {
    expect(breakingChanges(published, invoicePaidJsonSchema())).toEqual([]);
  });

  it.each(payloads)("payload $file is read as it always was", async ({ payload }) => {
    expect(validate(payload), JSON.stringify(validate.errors)).toBe(true);
    expect(parseUnsignedInvoicePaid(payload)).toEqual([payload]);
  });

  it("an event made today is good to the schema as it was published", () => {
    const { data } = payloads[0]?.payload ?? {};
    expect(validate(JSON.parse(JSON.stringify(invoicePaid("default", data))))).toBe(true);
  });

  it("takes an invoice id of any UUID version, as callbacks are read", async () => {
    const { data } = payloads[0]?.payload ?? {};
    const odd = invoicePaid("default", { ...data, invoiceId: "12345678-1234-0234-1234-123456789012" });

    expect(validate(odd)).toBe(true);
    expect(parseUnsignedInvoicePaid(odd)).toEqual([odd]);
  });

  it("may gain a property, which a consumer of today is not shown", async () => {
    const { file: _, payload } = payloads[0] ?? { file: "", payload: null };
    const grown = { ...payload, tracestate: "a=1", data: { ...payload.data, currency: "NGN" } };

    expect(validate(grown)).toBe(true);
    expect(parseUnsignedInvoicePaid(grown)).toEqual([payload]);
    expect(
      breakingChanges(
        published,
        changed(({ properties: { data } }) => {
          data.properties.currency = { type: "string" };
          data.required.push("currency");
        }),
      ),
    ).toEqual([]);
  });

  it.each<[string, (schema: Draft) => void, RegExp]>([
    ["a property gone", (s) => void delete s.properties.data.properties.amount, /data\.amount is gone/],
    [
      "money as a number",
      (s) => void Object.assign(s.properties.data.properties, { amount: { type: "number" } }),
      /amount\.type/,
    ],
    [
      "a text that may now be null",
      (s) =>
        void Object.assign(s.properties.data.properties, {
          type: { anyOf: [{ type: "string" }, { type: "null" }] },
        }),
      /data\.type/,
    ],
    [
      "a promise withdrawn",
      (s) => void s.properties.data.required.splice(0, 1),
      /invoiceId is no longer certain/,
    ],
    [
      "another version's name",
      (s) => void Object.assign(s.properties, { dataschema: { const: "v2" } }),
      /dataschema/,
    ],
  ])("would not be version 1 with %s", (_, change, line) => {
    expect(breakingChanges(published, changed(change)).join("\n")).toMatch(line);
  });
});

type Schema = Record<string, unknown>;

/** Words of JSON Schema that bind nobody. */
const REMARKS = new Set([
  "$id",
  "$schema",
  "id",
  "title",
  "description",
  "examples",
  "default",
  "deprecated",
]);

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * What a consumer of the published schema would trip over, if events followed the newer one: a property that
 * is gone or no longer certain, or any constraint that is not the same. New properties are no such thing.
 * @returns a line for each, empty when the newer schema is compatible
 */
function breakingChanges(published: unknown, newer: unknown, at = "event"): string[] {
  if (!isSchema(published) || !isSchema(newer))
    return JSON.stringify(published) === JSON.stringify(newer) ? [] : [`${at} changed`];
  const words = new Set([...Object.keys(published), ...Object.keys(newer)]);
  return [...words]
    .filter((word) => !REMARKS.has(word))
    .flatMap((word) => {
      const [before, after] = [published[word], newer[word]];
      if (word === "properties") return propertyChanges(before, after, at);
      if (word === "required") return lostPromises(before, after, at);
      if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
        return before.flatMap((item, index) =>
          breakingChanges(item, after[index], `${at}.${word}[${index}]`),
        );
      return breakingChanges(before, after, `${at}.${word}`);
    });
}

function propertyChanges(before: unknown, after: unknown, at: string): string[] {
  if (!isSchema(before) || !isSchema(after)) return [`${at} lost its properties`];
  return Object.entries(before).flatMap(([name, schema]) =>
    name in after ? breakingChanges(schema, after[name], `${at}.${name}`) : [`${at}.${name} is gone`],
  );
}

function lostPromises(before: unknown, after: unknown, at: string): string[] {
  const still = new Set(Array.isArray(after) ? after : []);
  return (Array.isArray(before) ? before : [])
    .filter((name) => !still.has(name))
    .map((name) => `${at}.${name} is no longer certain to be there`);
}
