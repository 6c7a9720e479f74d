import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");

/** A change that breaks a guarantee. */
export interface Breakage {
  file: string;
  /** Must occur exactly once. */
  find: string;
  replace: string;
}

/**
 * Copies the program into a folder and breaks the copy.
 * @returns the copy's `main.ts`.
 * @throws Error when a text to replace does not occur exactly once: the program has changed, and the breakage
 *   must follow.
 */
export async function brokenCopy(folder: string, ...breakages: readonly Breakage[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const part of ["src", "migrations", "docs", "package.json"])
    await cp(join(ROOT, part), join(folder, part), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const { file, find, replace } of breakages) {
    const text = await readFile(join(folder, file), "utf8");
    const parts = text.split(find);
    if (parts.length !== 2) throw new Error(`"${find}" occurs ${parts.length - 1} times in ${file}.`);
    await writeFile(join(folder, file), parts.join(replace));
  }
  return join(folder, "src/cli/main.ts");
}
