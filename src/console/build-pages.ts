import { join } from "node:path";

/** Where Vite writes the pages: `index.html`, and hashed names in `assets/`. */
const project = join(import.meta.dirname, "../..");

/**
 * Makes the console's pages out of `pages/`; a second or two. Only in a checkout, where Vite is.
 * @param outDir is emptied first.
 */
export async function buildPages(outDir: string): Promise<void> {
  const { build } = await import("vite");
  await build({
    configFile: false,
    logLevel: "warn",
    root: join(project, "src/console/pages"),
    base: "/console/",
    // JSX without an import of React in every file.
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir,
      emptyOutDir: true,
      target: "es2023",
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
}
