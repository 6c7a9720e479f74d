import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { relaySchema } from "../../migrations/relay.schema.ts";
import { SRC, sources } from "./sources.ts";

/** The owner of each table, from src/README.md. */
function readOwners(markdown: string): Map<string, string> {
  const owners = new Map<string, string>();
  const section = markdown.slice(markdown.indexOf("# Who owns which table"));
  for (const [, module = "", tables = ""] of section.matchAll(/^\| `([\w/-]+)` \| (.+) \|$/gm))
    for (const [, table = ""] of tables.matchAll(/`(\w+)`/g)) owners.set(table, module);
  return owners;
}

/** The files that may read tables of several owners, from src/README.md. */
const readSpanning = (markdown: string): string[] => {
  const section = markdown.slice(markdown.indexOf("# Reads that span owners"));
  return [...section.matchAll(/^- `([^`]+)`/gm)].map(([, file = ""]) => file);
};

const readme = readFileSync(join(SRC, "README.md"), "utf8");
const owners = readOwners(readme);
const spanning = readSpanning(readme);
const tables = [...owners.keys()].join("|");

// The sandbox keeps its own tables in a schema of its own.
const files = sources
  .filter(({ file }) => !file.startsWith("sandbox/"))
  .map(({ file, text }) => ({
    file,
    isOf: (table: string) => file.startsWith(`${owners.get(table)}/`),
    text,
  }));

const WRITES = new RegExp(
  String.raw`\b(?:insert\s+into|update|delete\s+from|lock\s+table|truncate(?:\s+table)?|for\s+(?:no\s+key\s+)?update\s+of)\s+(${tables})\b` +
    String.raw`|\.(?:insertInto|updateTable|deleteFrom)\("(${tables})[" ]`,
  "g",
);
const READS = new RegExp(
  String.raw`\b(?:from|join)\s+(${tables})\b(?!["\w])|\.(?:selectFrom|\w*[jJ]oin)\("(${tables})[" ]`,
  "g",
);

const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");

const found = (text: string, pattern: RegExp) =>
  [...withoutComments(text).matchAll(pattern)].map(([, plain, built]) => plain ?? built ?? "");

describe("the tables and their owners (src/README.md)", () => {
  it("every table of the relay has one owner", () => {
    const { callback_default: _partition, functions: _functions, ...made } = relaySchema;
    expect([...owners.keys()].sort()).toEqual(Object.keys(made).sort());
  });

  it("writes, locks and claims of a table stand only in its owner", () => {
    const foreign = files.flatMap(({ file, isOf, text }) =>
      found(text, WRITES)
        .filter((table) => !isOf(table))
        .map((table) => `${file} writes ${table}, which ${owners.get(table)} owns`),
    );
    expect(foreign).toEqual([]);
  });

  it("tables of other modules are read only where owners are spanned, in fourteen files at most", () => {
    const reading = files.filter(({ isOf, text }) => found(text, READS).some((table) => !isOf(table)));
    expect(reading.map(({ file }) => file).sort()).toEqual([...spanning].sort());
    expect(spanning.length).toBeLessThanOrEqual(14);
  });
});
