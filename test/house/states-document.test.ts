import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const document = readFileSync(join(root, "docs/states.md"), "utf8");

describe("docs/states.md", () => {
  const [, rulesAndTests = ""] = document.split("## Each rule and its test");
  const named = [...rulesAndTests.matchAll(/`(test\/[^`]+\.ts)` "([^"\n]+)"/g)];

  it("names a test for every rule", () => {
    const rules = rulesAndTests.split("\n").filter((line) => /^\| (?!Rule)/.test(line));
    expect(named.length).toBeGreaterThan(40);
    expect(rules.filter((rule) => !rule.includes('.ts` "'))).toEqual([]);
  });

  it.each(named.map(([, file = "", name = ""]) => ({ file, name })))(
    "names a test that exists: $file, $name",
    ({ file, name }) => {
      expect(readFileSync(join(root, file), "utf8")).toContain(`"${name}"`);
    },
  );
});
