import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BREAKAGES } from "../faults/broken/breakages.ts";
import { brokenText } from "../faults/broken/broken-copy.ts";

const ROOT = join(import.meta.dirname, "../..");

describe("a breakage fits the program as it is, so that a mechanism that moves takes its test along", () => {
  it.each(Object.entries(BREAKAGES))("%s", async (_name, breakage) => {
    expect(await brokenText(ROOT, breakage)).toContain(breakage.replace);
  });

  it("and one that does not is refused", async () => {
    const gone = { file: "src/database/sessions.ts", find: "nowhere to be found", replace: "" };
    await expect(brokenText(ROOT, gone)).rejects.toThrow(
      '"nowhere to be found" occurs 0 times in src/database/sessions.ts.',
    );
  });
});
