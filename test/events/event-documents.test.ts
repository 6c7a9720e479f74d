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
});
