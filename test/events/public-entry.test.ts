import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import * as entry from "../../src/events/index.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));

describe("the public entry of events", () => {
  it("is invoice-relay/events", async () => {
    expect(await import("invoice-relay/events")).toBe(entry);
  });

  it("is installed with the relay's version, and its zod", () => {
    const [relay, events] = [read("package.json"), read("src/events/package.json")];
    expect(events.version).toBe(relay.version);
    expect(events.dependencies).toEqual({ zod: relay.dependencies.zod });
  });

  it("gives out what docs/events/README.md describes, and no more", () => {
    expect(Object.keys(entry).sort()).toEqual([
      "InvoicePaidError",
      "confirmSubscription",
      "invoicePaidId",
      "invoicePaidSchema",
      "memoryOnceOnly",
      "onceOnly",
      "parseInvoicePaid",
      "parseUnsignedInvoicePaid",
      "postgresOnceOnly",
    ]);
  });
});
