import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { asyncApiDocument, invoicePaidJsonSchema } from "../../src/events/event-documents.ts";
import * as entry from "../../src/events/index.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));

describe("the public entry of events", () => {
  it("is invoice-relay/events, with the relay's version and its zod", async () => {
    expect(await import("invoice-relay/events")).toBe(entry);
    const [relay, events] = [read("package.json"), read("src/events/package.json")];
    expect(events.version).toBe(relay.version);
    expect(events.dependencies).toEqual({ zod: relay.dependencies.zod });
  });

  it("gives out what docs/events/README.md describes, and no more", () => {
    expect(Object.keys(entry).sort()).toEqual([
      ...["InvoicePaidError", "confirmSubscription", "invoicePaidId", "invoicePaidSchema"],
      ...["parseInvoicePaid", "parseUnsignedInvoicePaid"],
    ]);
  });
});

it.each([
  ["invoice.paid.v1.schema.json", invoicePaidJsonSchema],
  ["asyncapi.json", asyncApiDocument],
])("docs/events/%s is the one that the schema makes", async (file, make) => {
  await expect(`${JSON.stringify(make(), null, 2)}\n`).toMatchFileSnapshot(join(root, "docs/events", file));
});

// Golden: these ids are out in the world. A change here publishes every invoice again as new.
it.each([
  ["0f3a6c1e-8a44-4f4e-9a51-6f0f6a4e2f5b", "6e061309-1ffe-51b6-b53d-7a3d9d317232"],
  ["ffffffff-ffff-4fff-8fff-ffffffffffff", "758d1daa-86bb-5f7a-8a8c-bf160bb8b526"],
])("the event of invoice %s is %s, whatever the case of its id (G4)", (invoiceId, eventId) => {
  expect(entry.invoicePaidId(invoiceId)).toBe(eventId);
  expect(entry.invoicePaidId(invoiceId.toUpperCase())).toBe(eventId);
});
