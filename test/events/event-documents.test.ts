import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { asyncApiDocument, invoicePaidJsonSchema } from "../../src/events/event-documents.ts";

const text = (document: unknown) => `${JSON.stringify(document, null, 2)}\n`;

describe("the event's documents", () => {
  // Both are made from the zod schema. Out of date? `vitest run --project relay test/events -u` writes them
  // anew.
  it("in docs/events are those that the schema makes", async () => {
    await expect(text(invoicePaidJsonSchema())).toMatchFileSnapshot(
      "../../docs/events/invoice.paid.v1.schema.json",
    );
    await expect(text(asyncApiDocument())).toMatchFileSnapshot("../../docs/events/asyncapi.json");
  });

  it("the JSON Schema is one to Ajv in strict mode", () => {
    const ajv = new Ajv2020({ strict: true, allErrors: true });
    addFormats.default(ajv);

    expect(ajv.validateSchema(invoicePaidJsonSchema())).toBe(true);
    const validate = ajv.compile(invoicePaidJsonSchema());
    expect(validate({ specversion: "1.0" })).toBe(false);
  });
});
