import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Breakage } from "./breakages.ts";

const ROOT = join(import.meta.dirname, "../../..");

/**
 * The text of the breakage's file below `root`, broken.
 * @throws Error when a text to replace does not occur exactly once: the program has changed, and the breakage
 *   must follow.
 */
export async function brokenText(root: string, { file, find, replace }: Breakage): Promise<string> {
  const text = await readFile(join(root, file), "utf8");
  const parts = text.split(find);
  if (parts.length !== 2) throw new Error(`"${find}" occurs ${parts.length - 1} times in ${file}.`);
  return parts.join(replace);
}

/**
 * Copies the program into a folder and breaks the copy.
 * @returns the copy's `main.ts`.
 * @throws Error as `brokenText` does.
 */
export async function brokenCopy(folder: string, ...breakages: readonly Breakage[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const part of ["src", "migrations", "docs", "package.json"])
    await cp(join(ROOT, part), join(folder, part), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const breakage of breakages)
    await writeFile(join(folder, breakage.file), await brokenText(folder, breakage));
  return join(folder, "src/cli/main.ts");
}
