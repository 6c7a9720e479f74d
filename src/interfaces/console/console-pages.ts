import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import express, { type Response, Router } from "express";

interface ConsolePagesOptions {
  /** Whether anybody could sign in: ADMIN_TOKENS is set. */
  isOpen: boolean;
  /** Where the built pages lie; null when they were not built. */
  folder: string | null;
}

/** The pages load only files of the relay itself, and foreign pages may not frame them. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "manifest-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join("; ");

/** `/console`: the built pages. They hold no data, which the admin API has, so anybody may have them. */
export function consolePages({ isOpen, folder }: ConsolePagesOptions): Router {
  const pages = Router();
  pages.use((_request, response, next) => {
    response.setHeader("content-security-policy", POLICY);
    response.setHeader("referrer-policy", "no-referrer");
    response.setHeader("cross-origin-opener-policy", "same-origin");
    response.setHeader("cross-origin-resource-policy", "same-origin");
    response.setHeader("cache-control", "no-store");
    next();
  });
  if (!isOpen)
    pages.use((_request, response) =>
      say(
        response,
        404,
        "The console is closed: it has no token to sign in with.\nSet ADMIN_TOKENS and restart.\n",
      ),
    );
  else if (folder === null)
    pages.use((_request, response) =>
      say(response, 503, "The console's pages were not built.\nBuild them with: npm run build\n"),
    );
  else {
    const files = { index: false, redirect: false, cacheControl: false, dotfiles: "ignore" } as const;
    // Their names change with their contents.
    const forEver = (response: Response) =>
      response.setHeader("cache-control", "max-age=31536000, immutable");
    const assets = resolve(folder, "assets");
    pages.use("/assets", express.static(assets, { ...files, setHeaders: forEver }));
    pages.use(express.static(folder, files));
    // Every other path is a place within the pages, which find it themselves.
    pages.get(/^[^.]*$/, (_request, response) => {
      // Below the root, so that no folder above it counts as hidden.
      response.sendFile("index.html", { ...files, root: folder });
    });
    pages.use((_request, response) => say(response, 404, "There is nothing here.\n"));
  }
  return Router().use("/console", pages);
}

const say = (response: Response, status: number, text: string): void => {
  response.status(status).type("text/plain").send(text);
};

/** Beside the built program, or where a checkout builds to. */
const PLACES = ["../../../console", "../../../dist/console"];

/** Where the built pages lie; null when they were not built. */
export function builtPages(): string | null {
  const folders = PLACES.map((place) => resolve(import.meta.dirname, place));
  return folders.find((folder) => existsSync(resolve(folder, "index.html"))) ?? null;
}

const project = join(import.meta.dirname, "../../..");

/** Builds the console's pages, in a second or two; only in a checkout, where Vite is. @param outDir is emptied. */
export async function buildPages(outDir: string): Promise<void> {
  const { build } = await import("vite");
  const { consoleForms } = await import("./forms.ts");
  await build({
    configFile: false,
    logLevel: "warn",
    root: join(project, "src/interfaces/console/pages"),
    base: "/console/",
    define: { OPERATIONS: JSON.stringify(consoleForms()) },
    // JSX needs no import of React in every file; NODE_ENV does not change that.
    oxc: { jsx: { runtime: "automatic", importSource: "preact", development: false } },
    build: {
      outDir,
      emptyOutDir: true,
      target: "es2023",
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // A slow machine is no fault of the build.
      rolldownOptions: { checks: { bundlerTimings: false } },
    },
  });
}

/** In a checkout builds the pages if they are missing or older than their sources; elsewhere they came along. */
export async function buildMissingPages(): Promise<void> {
  const sources = join(project, "src/interfaces/console/pages");
  if (!existsSync(join(sources, "index.html"))) return;
  const built = join(project, "dist/console");
  const madeAt = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const newest = Math.max(
    ...[sources, join(project, "src/operations")].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => madeAt(join(folder, name))),
    ),
  );
  if (madeAt(join(built, "index.html")) < newest) await buildPages(built);
}
