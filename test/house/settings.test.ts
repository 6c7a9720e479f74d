import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import { settingsSchema, TO_FILL_IN } from "../../src/kit/settings.ts";

describe("the documented settings", () => {
  it(".env.example, read as it is, sets nothing: what serve needs is missing rather than made up", () => {
    const read = parseEnv(readFileSync(new URL("../../.env.example", import.meta.url), "utf8"));
    expect(Object.keys(read).sort()).toEqual([...TO_FILL_IN].sort());
    expect(TO_FILL_IN).toContain("COLLECTION_IDS");
    expect(Object.values(read).join("")).toBe("");
  });

  it.each(Object.entries(settingsSchema.shape))("%s says what it is for", (_, { description }) => {
    expect(description).toMatch(/^[A-Z].{10,}\.$/s);
  });
});
