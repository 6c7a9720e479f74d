import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { SRC, sources } from "./sources.ts";

// The table stands in src/README.md and nowhere else: this test reads it from there.

interface Row {
  room: string;
  mayImport: string[];
  mayUsePackages: string[] | "any";
}

function readTable(markdown: string): Row[] {
  const cells = (line: string) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
  const words = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);
  return markdown
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => {
      const [room = "", , imports = "", packages = ""] = cells(line);
      return {
        room: (words(room)[0] ?? "").replace(/\/$/, ""),
        mayImport: words(imports),
        mayUsePackages: packages === "any" ? "any" : words(packages),
      };
    });
}

/** Static imports and re-exports begin their line; text inside SQL that reads `from "…"` does not. */
const IMPORTS = /^(?:import|export)\s+(?:[\w\s{},*$]+?\sfrom\s+)?"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;

const importsIn = (text: string): string[] =>
  [...text.matchAll(IMPORTS)].map(([, plain, dynamic]) => plain ?? dynamic ?? "");

const readme = readFileSync(join(SRC, "README.md"), "utf8");
const table = readTable(readme.slice(0, readme.indexOf("# Who owns which table")));
const roomOf = (path: string) => path.split("/")[0] ?? "";

describe("the import table of src/README.md", () => {
  it("has a row for every room and no other", () => {
    const rooms = readdirSync(SRC, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
    expect(table.map((row) => row.room).sort()).toEqual(rooms.sort());
  });

  it.each(table)("$room imports only what its row allows", ({ room, mayImport, mayUsePackages }) => {
    const mayUse = (specifier: string) =>
      specifier.startsWith("node:") ||
      mayUsePackages === "any" ||
      mayUsePackages.some((name) => specifier === name || specifier.startsWith(`${name}/`));
    const mayReach = (target: string) =>
      // A folder beside src, `migrations`, has to stand in the row by its name.
      [room, ...mayImport].some((entry) => target === entry || target.startsWith(entry.replace(/\/?$/, "/")));
    const forbidden = sources
      .filter(({ file }) => roomOf(file) === room)
      .flatMap(({ file, text }) =>
        importsIn(text)
          .filter((specifier) =>
            specifier.startsWith(".")
              ? !mayReach(join(dirname(file), specifier).replace(/^\.\.\//, ""))
              : !mayUse(specifier),
          )
          .map((specifier) => `${file} imports ${specifier}`),
      );
    expect(forbidden).toEqual([]);
  });
});
