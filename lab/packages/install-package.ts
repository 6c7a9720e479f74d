import { execFile } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");

export interface InstalledPackage {
  folder: string;
  /** What npm says of the packed file: its size in bytes, and what is in it. */
  packed: { filename: string; size: number; files: { path: string }[] };
  /** Runs a program in the folder, with nothing of this checkout in its environment. */
  run(
    command: string,
    words: readonly string[],
    environment?: Record<string, string>,
  ): Promise<{ stdout: string; stderr: string }>;
}

/**
 * Packs this project and installs it into an empty one, with `extras` beside it.
 * The caller removes the folder.
 */
export async function installPackage(extras: readonly string[] = []): Promise<InstalledPackage> {
  const folder = await mkdtemp(join(tmpdir(), "invoice-relay-package-"));
  const { stdout } = await execute("npm", ["pack", "--json", "--pack-destination", folder], { cwd: root });
  const told = JSON.parse(stdout.slice(stdout.search(/^[[{]\s*$/m)));
  const packed = (Array.isArray(told) ? told : Object.values(told))[0] as InstalledPackage["packed"];
  return { folder, packed, run: await install(folder, [packed.filename, ...extras]) };
}

/**
 * Packs what consumers install, as docs/events/README.md says, and installs it into an empty project
 * likewise.
 */
export async function installEvents(
  extras: readonly string[] = [],
): Promise<Omit<InstalledPackage, "packed">> {
  const folder = await mkdtemp(join(tmpdir(), "invoice-relay-events-"));
  await execute("npm", ["run", "pack:events", "--", folder], { cwd: root });
  return { folder, run: await install(folder, ["invoice-relay-events-0.1.0.tgz", ...extras]) };
}

/**
 * Compiles a file of the folder, strictly and with the package's own declarations checked.
 * @throws Error with what the compiler says
 */
export async function checkTypes(run: InstalledPackage["run"], file: string, module: string): Promise<void> {
  const words = ["--noEmit", "--strict", "--module", module, "--target", "es2024", "--skipLibCheck", "false"];
  const types = ["--typeRoots", join(root, "node_modules/@types"), "--types", "node"];
  await run(join(root, "node_modules/.bin/tsc"), [...words, ...types, file]).catch((error) => {
    throw new Error(error.stdout);
  });
}

/** How a project may ask for types: the name of its file, and its setting `module`. */
export const KINDS_OF_PROJECT: readonly (readonly [file: string, module: string])[] = [
  ["types.mts", "nodenext"],
  ["types.mts", "node16"],
  ["types.cts", "nodenext"],
  ["types.cts", "node16"],
];

async function install(folder: string, packages: readonly string[]): Promise<InstalledPackage["run"]> {
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const run: InstalledPackage["run"] = (command, words, environment = {}) =>
    execute(command, [...words], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...environment },
    });
  // How this machine reaches a registry, its certificates for one, stands in its environment.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund"];
  await execute("npm", ["install", ...quiet, ...packages], { cwd: folder, env });
  return run;
}
