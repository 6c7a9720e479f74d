import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

// The table stands in src/README.md and nowhere else: this test reads it from there.
const src = resolve(import.meta.dirname, "../../src");

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

function importsOf(file: string): string[] {
  return [...readFileSync(file, "utf8").matchAll(IMPORTS)].map((match) => (match[1] ?? match[2]) as string);
}

const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => join(src, file));
const readme = readFileSync(join(src, "README.md"), "utf8");
const table = readTable(readme.slice(0, readme.indexOf("# Who owns which table")));
const roomOf = (file: string) => relative(src, file).split("/")[0] as string;

describe("the import table of src/README.md", () => {
  it("has a row for every room and no other", () => {
    const rooms = readdirSync(src, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
    expect(table.map((row) => row.room).sort()).toEqual(rooms.sort());
  });

  it.each(table)("$room imports only what its row allows", ({ room, mayImport, mayUsePackages }) => {
    const forbidden: string[] = [];
    for (const file of files.filter((candidate) => roomOf(candidate) === room)) {
      for (const specifier of importsOf(file)) {
        if (specifier.startsWith("node:")) continue;
        if (specifier.startsWith(".")) {
          const target = resolve(dirname(file), specifier);
          if (!target.startsWith(src)) {
            // A folder beside src, `migrations`, has to stand in the row by its name.
            if (mayImport.includes(relative(dirname(src), target).split("/")[0] as string)) continue;
            forbidden.push(`${relative(src, file)} reaches outside src: ${specifier}`);
            continue;
          }
          const inside = relative(src, target);
          const allowed =
            inside.startsWith(`${room}/`) ||
            mayImport.some((entry) => inside === entry || inside.startsWith(entry.replace(/\/?$/, "/")));
          if (!allowed) forbidden.push(`${relative(src, file)} imports ${inside}`);
        } else if (mayUsePackages !== "any") {
          const allowed = mayUsePackages.some(
            (name) => specifier === name || specifier.startsWith(`${name}/`),
          );
          if (!allowed) forbidden.push(`${relative(src, file)} uses the package ${specifier}`);
        }
      }
    }
    expect(forbidden).toEqual([]);
  });
});
