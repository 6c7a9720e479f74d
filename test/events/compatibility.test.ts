import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { invoicePaidJsonSchema } from "../../src/events/event-documents.ts";
import { parseUnsignedInvoicePaid } from "../../src/events/parse-invoice-paid.ts";
import { invoicePaid } from "../../src/pipeline/confirm/paid-event.ts";

// What consumers of version 1 hold in their hands. Nothing in this folder may ever change: what does not fit
// it is a version 2, published beside version 1.
const folder = join(import.meta.dirname, "published/v1");
const published = JSON.parse(readFileSync(join(folder, "invoice.paid.schema.json"), "utf8"));
const payloads = readdirSync(join(folder, "payloads")).map((file) => ({
  file,
  payload: JSON.parse(readFileSync(join(folder, "payloads", file), "utf8")),
}));

const ajv = new Ajv2020({ strict: true });
addFormats.default(ajv);
const validate = ajv.compile(published);
const [{ payload: first }] = payloads as [(typeof payloads)[number]];

describe("version 1 of the event", () => {
  it("is what it was when it was published, but for new properties", () => {
    expect(invoicePaidJsonSchema()).toMatchObject(promised(published));
  });

  it.each(payloads)("payload $file is read as it always was", ({ payload }) => {
    expect(validate(payload), JSON.stringify(validate.errors)).toBe(true);
    expect(parseUnsignedInvoicePaid(payload)).toEqual([payload]);
  });

  it("is good to the schema as it was published when made today, of an invoice of any UUID version", () => {
    const odd = invoicePaid("default", { ...first.data, invoiceId: "12345678-1234-0234-1234-123456789012" });
    const made = JSON.parse(JSON.stringify(odd));
    expect(validate(made)).toBe(true);
    expect(parseUnsignedInvoicePaid(made)).toEqual([made]);
  });

  it("may gain a property, which a consumer of today is not shown", () => {
    const grown = { ...first, tracestate: "a=1", data: { ...first.data, currency: "NGN" } };
    expect(validate(grown)).toBe(true);
    expect(parseUnsignedInvoicePaid(grown)).toEqual([first]);
  });
});

/** Words of JSON Schema that bind nobody. */
const REMARKS = ["$id", "$schema", "title", "description", "examples", "default", "deprecated"];

/** What a consumer of this schema counts on: each property as it is, and those that are certain to be there. */
function promised(schema: unknown, name = ""): object {
  if (name === "required") return expect.arrayContaining(schema as string[]);
  if (Array.isArray(schema)) return schema.map((one) => promised(one));
  if (typeof schema !== "object" || schema === null) return schema as object;
  const binding = Object.entries(schema).filter(([word]) => name === "properties" || !REMARKS.includes(word));
  return Object.fromEntries(binding.map(([word, value]) => [word, promised(value, word)]));
}
