import { existsSync } from "node:fs";
import { join } from "node:path";
import { builtPages } from "./console-pages.ts";

const project = join(import.meta.dirname, "../..");

/**
 * Makes the console's pages out of `pages/`, in a second or two. Works only in a checkout, where Vite is.
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
      // A slow machine is no fault of whoever starts it.
      rolldownOptions: { checks: { bundlerTimings: false } },
    },
  });
}

/** In a checkout whose pages were never built, builds them; elsewhere they came with the program. */
export async function buildMissingPages(): Promise<void> {
  if (builtPages() !== null || !existsSync(join(project, "src/console/pages/index.html"))) return;
  await buildPages(join(project, "dist/console"));
}
