import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize, resolve } from "node:path";
import { expect, it } from "vitest";

const src = resolve(import.meta.dirname, "../../src");
const IMPORT = /^(?:import|export)\s+(?:type\s+)?(?:[\w\s{},*$]+?\sfrom\s+)?"(\.[^"]+)"/gm;

it("no file imports itself by way of others, types included", () => {
  const imports = new Map(
    globSync("**/*.{ts,tsx}", { cwd: src }).map((file) => {
      const text = readFileSync(join(src, file), "utf8");
      return [file, [...text.matchAll(IMPORT)].map(([, path = ""]) => normalize(join(dirname(file), path)))];
    }),
  );
  const circles: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) return void circles.push([...path.slice(path.indexOf(file)), file]);
    if (done.has(file)) return;
    for (const next of imports.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  expect(imports.size).toBeGreaterThan(200);
  expect(circles).toEqual([]);
});
