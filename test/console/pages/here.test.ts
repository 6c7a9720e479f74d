import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { sayHere } from "../../../src/console/pages/parts/here.ts";

const ID = "3f1c6a52-1b1e-4c55-9d0a-6f2f6a2b8c11";

it("a command of the relay's texts is said as what does the same here, and no other one", () => {
  expect(sayHere(`Given up: odd. Once the cause is gone: invoice-relay dead retry ${ID}`)).toBe(
    "Given up: odd. Once the cause is gone, open the dead letter and retry it.",
  );
  const other = "See whether invoice-relay serve runs, with workers.";
  expect(sayHere(other)).toBe(other);
});

it("there is a way here for each command that the meaning of a payment names", () => {
  const source = readFileSync("src/operate/timeline-meaning.ts", "utf8").replaceAll(/["`] \+\s+["`]/g, "");
  const sentences = source.split("\n").filter((line) => /invoice-relay (?!serve)/.test(line));
  expect(sentences.length).toBeGreaterThan(4);
  for (const line of sentences) {
    const text = /["`]([^"`]*)["`]/.exec(line)?.[1]?.replaceAll(/\$\{[^}]*\}/g, ID) ?? line;
    expect(sayHere(text), line).not.toMatch(/invoice-relay (?!serve)/);
  }
});
