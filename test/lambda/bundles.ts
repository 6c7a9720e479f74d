import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll } from "vitest";
import { parse } from "yaml";

const root = resolve(import.meta.dirname, "../..");

const { custom } = parse(readFileSync(join(root, "serverless.yml"), "utf8"), {
  merge: true,
  logLevel: "silent",
});

/**
 * Every function of src/lambda as a bundle, made with the options of serverless.yml; gone when the file's
 * tests are over.
 */
export function useBundles(): { of(handler: string): string } {
  let folder = "";
  beforeAll(async () => {
    const { exclude, outputFileExtension, keepOutputDirectory: _, alias, ...options } = custom.esbuild;
    // Below node_modules, so that what the runtime brings is found.
    const cache = join(root, "node_modules/.cache");
    mkdirSync(cache, { recursive: true });
    folder = mkdtempSync(join(cache, "lambda-bundles-"));
    await build({
      ...options,
      entryPoints: readdirSync(join(root, "src/lambda"))
        .map((file) => join(root, "src/lambda", file))
        .filter((file) => /export (const|async function) handler\b/.test(readFileSync(file, "utf8"))),
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
  return { of: (handler) => join(folder, `${handler}${custom.esbuild.outputFileExtension}`) };
}
