import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const folder = resolve(import.meta.dirname, "../tools");
const modules = join(folder, "node_modules");
const fromTools = createRequire(join(folder, "package.json"));

/** The lock file as it was installed, beside what came of it. */
const installed = join(modules, ".installed-lock.json");

/** Loads modules as a file of tools/ would. */
const loader = join(modules, "load.mjs");

/** Installs what tools/ locks, unless that is there already; half a minute, or more on a slow network. */
export function installTools(): void {
  const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
  if (existsSync(installed) && readFileSync(installed, "utf8") === lock) return;
  process.stderr.write("Installing the packages of tools/, once.\n");
  execFileSync("npm", ["ci"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  writeFileSync(loader, "export const load = (name) => import(name);\n");
  writeFileSync(installed, lock);
}

/** @returns the program of this name among the tools. */
export const toolProgram = (name: string): string => join(modules, ".bin", name);

/** A folder for temporary files that a compiler finds the tools' packages from. */
export const toolsCache = join(modules, ".cache");

/**
 * A package of tools/. Whoever asks says as much of it as it uses: a checkout compiles without them.
 * @throws Error MODULE_NOT_FOUND where they are not installed.
 */
export const tool = <Module>(name: string): Module => fromTools(name) as Module;

/** The same for a package that can only be imported. */
export async function importTool<Module>(name: string): Promise<Module> {
  const { load }: { load: (name: string) => Promise<Module> } = await import(loader);
  return await load(name);
}

/** The path of a file in a package of tools/. */
export const toolFile = (name: string): string => fromTools.resolve(name);
