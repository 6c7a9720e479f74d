import { describe, expect, it } from "vitest";
import * as entry from "../../src/events/index.ts";

describe("the public entry of events", () => {
  it("is invoice-relay/events", async () => {
    expect(await import("invoice-relay/events")).toBe(entry);
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
