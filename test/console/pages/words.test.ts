import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { sayHere } from "../../../src/console/pages/parts/words.ts";

const ID = "3f1c6a52-1b1e-4c55-9d0a-6f2f6a2b8c11";

it("a command of the relay's texts is said as what does the same here, and no other one", () => {
  const here = sayHere(`Given up: odd. Once the cause is gone: invoice-relay dead retry ${ID}`);
  expect(here).not.toMatch(/invoice-relay|[0-9a-f]{8}-/);
  const other = "See whether invoice-relay serve runs, with workers.";
  expect(sayHere(other)).toBe(other);
});

it.each([
  ["operate/timeline", 5],
  ["receive/caller/caller-checks", 1],
  ["reconcile/certificate/certify", 1],
  ["replay/replay-runner", 1],
])("there is a way here for each command that texts of %s name", (file, least) => {
  const source = readFileSync(`src/${file}.ts`, "utf8").replaceAll(/["`] \+\s+["`]/g, "");
  const texts = [...source.matchAll(/["`]([^"`\n]*invoice-relay (?!serve)[^"`\n]*)["`]/g)];
  expect(texts.length).toBeGreaterThanOrEqual(least);
  for (const [, text = ""] of texts)
    expect(sayHere(text.replaceAll(/\$\{[^}]*\}|(?<= )$/g, ID)), text).not.toMatch(/invoice-relay (?!serve)/);
});
