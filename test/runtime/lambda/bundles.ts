import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll } from "vitest";
import { parse } from "yaml";

const root = resolve(import.meta.dirname, "../../..");

const { custom, functions } = parse(readFileSync(join(root, "serverless.yml"), "utf8"), {
  merge: true,
  logLevel: "silent",
});

const handlers = new Map(
  Object.entries<{ handler: string }>(functions).map(([name, { handler }]) => [name, handler]),
);

/**
 * The functions of serverless.yml as bundles, made with its options; gone when the file's tests are over.
 * `of` gives a function's handler as Lambda takes it: the file without its ending, and the export.
 */
export function useBundles(): { of(name: string): string } {
  let folder = "";
  beforeAll(async () => {
    const { exclude, outputFileExtension, keepOutputDirectory: _, alias, ...options } = custom.esbuild;
    // Away from this checkout's node_modules: a function has what is in its bundle, and nothing else.
    folder = mkdtempSync(join(tmpdir(), "invoice-relay-lambda-"));
    await build({
      ...options,
      entryPoints: [...new Set([...handlers.values()].map((handler) => handler.replace(/\.\w+$/, ".ts")))],
      external: exclude,
      alias: Object.fromEntries(
        Object.entries<string>(alias).map(([name, path]) => [name, resolve(root, path)]),
      ),
      outdir: folder,
      outExtension: { ".js": outputFileExtension },
      absWorkingDir: root,
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return { of: (name) => join(folder, basename(handlers.get(name) ?? "")) };
}
