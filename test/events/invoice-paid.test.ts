import { describe, expect, it } from "vitest";
import { invoicePaidId } from "../../src/events/invoice-paid.ts";

describe("the event's identity (G4)", () => {
  // Golden: these ids are out in the world. A change here publishes every invoice again as new.
  it.each([
    ["0f3a6c1e-8a44-4f4e-9a51-6f0f6a4e2f5b", "6e061309-1ffe-51b6-b53d-7a3d9d317232"],
    ["ffffffff-ffff-4fff-8fff-ffffffffffff", "758d1daa-86bb-5f7a-8a8c-bf160bb8b526"],
  ])("of invoice %s is %s, whatever the case of its id", (invoiceId, eventId) => {
    expect(invoicePaidId(invoiceId)).toBe(eventId);
    expect(invoicePaidId(invoiceId.toUpperCase())).toBe(eventId);
  });
});
