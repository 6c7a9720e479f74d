import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { SRC, sources } from "./sources.ts";

// The table stands in src/README.md and nowhere else: this test reads it from there.

interface Row {
  module: string;
  mayImport: string[];
  mayUsePackages: string[] | "any";
}

function readTable(markdown: string): Row[] {
  const words = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);
  return markdown
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => {
      const [module = "", , imports = "", packages = ""] = line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim());
      return {
        module: words(module)[0] ?? "",
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
const table = readTable(
  readme.slice(readme.indexOf("# Who may import whom"), readme.indexOf("# Who owns which table")),
);
const isBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);
const moduleOf = (path: string) => table.find(({ module }) => isBelow(path, module))?.module;

/** The other modules that a file imports, as paths below `src`; a folder beside it by its name. */
const targetsOf = (file: string, text: string) =>
  importsIn(text)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => join(dirname(file), specifier).replace(/^\.\.\//, ""))
    .filter((target) => moduleOf(target) !== moduleOf(file));

/** Code for browsers, and a command that loads one program of the runtime: a door would bring all the rest along. */
const PAST_DOORS = [
  { file: /^(interfaces\/console\/pages|operations\/views)\//, target: /./ },
  { file: /^interfaces\/cli\//, target: /^runtime\// },
];

describe("the import table of src/README.md", () => {
  it("has a row for every module, and each file belongs to one", () => {
    expect(table.filter(({ module }) => !existsSync(join(SRC, module)))).toEqual([]);
    expect(sources.filter(({ file }) => moduleOf(file) === undefined).map(({ file }) => file)).toEqual([]);
  });

  it("names eight folders, each with a README", () => {
    const folders = readdirSync(SRC, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders).toHaveLength(8);
    expect(folders.filter(({ name }) => !existsSync(join(SRC, name, "README.md")))).toEqual([]);
  });

  it.each(table)("$module imports only what its row allows", ({ module, mayImport, mayUsePackages }) => {
    const mayUse = (specifier: string) =>
      specifier.startsWith("node:") ||
      mayUsePackages === "any" ||
      mayUsePackages.some((name) => isBelow(specifier, name));
    const forbidden = sources
      .filter(({ file }) => moduleOf(file) === module)
      .flatMap(({ file, text }) =>
        [
          ...targetsOf(file, text).filter((target) => !mayImport.some((entry) => isBelow(target, entry))),
          ...importsIn(text).filter((specifier) => !specifier.startsWith(".") && !mayUse(specifier)),
        ].map((what) => `${file} imports ${what}`),
      );
    expect(forbidden).toEqual([]);
  });

  it("a module is imported through its door alone, and a door opens only its own", () => {
    const isAllowed = (file: string, target: string) =>
      target.startsWith("migrations/") ||
      target === `${moduleOf(target)}/index.ts` ||
      PAST_DOORS.some((past) => past.file.test(file) && past.target.test(target));
    const past = sources.flatMap(({ file, text }) =>
      targetsOf(file, text)
        .filter((target) => !isAllowed(file, target))
        .map((target) => `${file} imports ${target}`),
    );
    const through = sources
      .filter(({ file }) => file === `${moduleOf(file)}/index.ts`)
      .flatMap(({ file, text }) => targetsOf(file, text).map((target) => `${file} opens ${target}`));
    expect([...past, ...through]).toEqual([]);
  });
});
