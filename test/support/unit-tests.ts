import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** What makes a test more than a unit's: a database, a process, a browser. */
const HEAVY = [
  "test/support/database.ts",
  "test/support/cli-process.ts",
  "test/support/relay-process.ts",
  "src/sandbox/postgres/start-embedded-postgres.ts",
];

/** What tests by starting processes, building packages, waiting, or very many tries. */
const ELSEWHERE = [
  "test/interfaces/console/pages-size",
  "test/pipeline/receive/reading/read-callback.property",
  "test/architecture/",
  "test/package/",
  "test/runtime/lambda/",
  "test/sandbox/",
  "test/journeys/",
];

const IMPORT = /(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;

/**
 * The tests that need neither database nor process nor browser, so that all of them run in seconds: those
 * that reach none of it by what they import. Nobody keeps a list.
 * @param root the project's folder.
 */
export function unitTests(root: string): string[] {
  const reaches = new Map<string, boolean>();
  const heavy = new Set(HEAVY.map((path) => join(root, path)));
  const isHeavy = (file: string): boolean => {
    const known = reaches.get(file);
    if (known !== undefined) return known;
    reaches.set(file, false);
    const found =
      heavy.has(file) ||
      (file.endsWith(".ts") && existsSync(file) && importsOf(file).some((imported) => isHeavy(imported)));
    reaches.set(file, found);
    return found;
  };
  return globSync("test/**/*.test.ts", { cwd: root })
    .filter((path) => !ELSEWHERE.some((beginning) => path.startsWith(beginning)))
    .filter((path) => !isHeavy(join(root, path)))
    .sort();
}

const importsOf = (file: string): string[] =>
  [...readFileSync(file, "utf8").matchAll(IMPORT)].map(([, path = ""]) => resolve(dirname(file), path));
