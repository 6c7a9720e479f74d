import { describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/values/ids.ts";

describe("a new id", () => {
  it("is a UUIDv7: version, variant and, in its first 48 bits, the time", () => {
    const atMs = Date.UTC(2022, 1, 22, 19, 22, 22);
    // The time of the example in RFC 9562, A.6.
    expect(newId(atMs)).toMatch(/^017f22e2-79b0-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(newId(0)).toMatch(/^00000000-0000-7/);
  });

  it("sorts by its time, and is another one each time", () => {
    expect(newId(1_000) < newId(1_001)).toBe(true);
    expect(new Set(Array.from({ length: 10_000 }, () => newId(1_000))).size).toBe(10_000);
  });
});
