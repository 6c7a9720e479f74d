import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** Words that docs/glossary.md has better ones for; names of tables, metrics and workers keep their spelling. */
const WORDS =
  /\b(?:whoever|exchanges?|heard|isMeant|handOver|ladder|dice|gives? back|given ?back|surroundings|yard|mood|patience|torture|judged?|judges|(?<!in[ -])house)\b/i;
const OPENINGS = /^\s*(?:\/\*\*?|\*|\/\/)\s+(?:What|Those|Whoever|Whatever|None|Nobody|Somebody)\b/;

it("the program is written in the field's words, and its comments name their subject first", () => {
  const files = execFileSync("git", ["ls-files", "src"], { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter((file) => /\.(tsx?|md)$/.test(file));
  const found = files.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .flatMap((line, index) =>
        WORDS.test(line) || OPENINGS.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
      ),
  );
  expect(files.length).toBeGreaterThan(300);
  expect(found).toEqual([]);
});
