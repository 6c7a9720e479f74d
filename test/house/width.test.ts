import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

const MOST_COLUMNS = 110;
const MOST_LINES = 300;

/** Files that may be wider, and why. */
const WIDER = new Set([
  // CSS: a rule reads best on its line.
  "src/receive/payer-page/payer-page-style.ts",
  "src/sandbox/provider/pay-page/pay-page-style.ts",
  // An answer and a callback as they come over the wire.
  "bench/harness/sample-payment.ts",
  // What a command prints, as it stands on the screen.
  "test/cli/api.test.ts",
  "test/cli/invoice.test.ts",
]);

/** Files that may be longer, and why. */
const LONGER = new Set([
  // Generated from the migrated database.
  "src/database/tables.ts",
]);

const FOLDERS = ["src", "migrations", "bench", "ops", "test"];

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.[cm]?[jt]s$/.test(file) && !file.includes("node_modules"))
    .map((file) => `${folder}/${file.replaceAll("\\", "/")}`),
).map((file) => ({ file, lines: readFileSync(join(root, file), "utf8").split("\n") }));

/** A pattern cannot be wrapped. */
const PATTERN = /^\s*\[?\/[^*].*\/[a-z]*,?$/;
/** In tests a title, and the words that are expected, stay in one piece. */
const IN_ONE_PIECE =
  /^\s*(?:(?:it|describe)\b.*\(|[["'`/]|[\w.]+: ["'`/]|const \w+ = ["'`]|.*RegExp|.*String\.raw)/;

describe("a source file", () => {
  it(`has lines of ${MOST_COLUMNS} columns at most, SQL and messages included`, () => {
    const wide = files.flatMap(({ file, lines }) =>
      lines.flatMap((line, index) =>
        line.length <= MOST_COLUMNS ||
        WIDER.has(file) ||
        PATTERN.test(line) ||
        (file.startsWith("test/") && IN_ONE_PIECE.test(line))
          ? []
          : [`${file}:${index + 1} has ${line.length}`],
      ),
    );
    expect(wide).toEqual([]);
  });

  it(`has ${MOST_LINES} lines at most`, () => {
    const long = files
      .filter(({ file, lines }) => lines.length - 1 > MOST_LINES && !LONGER.has(file))
      .map(({ file, lines }) => `${file} has ${lines.length - 1}`);
    expect(long).toEqual([]);
  });
});
