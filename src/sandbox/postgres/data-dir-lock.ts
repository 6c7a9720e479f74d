import { mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageOf, RelayError } from "../../kit/errors.ts";

const SQLITE_BUSY = 5;

/** Long enough for several that try at the same moment to find a winner, short enough to wait for at once. */
const PATIENCE_MS = 250;

/**
 * Makes the folder when it is missing, and this process its only owner.
 *
 * The lock is the kernel's own file lock, which Node reaches only through its SQLite: it ends with the
 * process however that ends, so a dead owner never has to be told from a living one by a pid that may be
 * another's by now.
 * @throws RelayError when the folder cannot be used, and one that names the owner when it is in use, by this
 *   process too.
 */
export async function lockDataDir(folder: string) {
  let database: DatabaseSync | undefined;
  try {
    await mkdir(folder, { recursive: true });
    const dataDir = await realpath(folder);
    database = new DatabaseSync(join(dataDir, "owner.lock"), { timeout: PATIENCE_MS });
    database.exec("BEGIN EXCLUSIVE");
    await writeFile(join(dataDir, "owner.pid"), `${process.pid}\n`);
    return { dataDir, release: releaserOf(database) };
  } catch (cause) {
    if (database !== undefined) releaserOf(database)();
    throw (cause as { errcode?: number }).errcode === SQLITE_BUSY
      ? await inUse(folder, cause)
      : new RelayError(
          `Embedded Postgres: this user cannot write to ${folder} (${messageOf(cause)}). Give it to ` +
            "this user, or choose another data folder.",
          { cause },
        );
  }
}

const releaserOf = (database: DatabaseSync) => () => {
  if (database.isOpen) database.close();
};

async function inUse(folder: string, cause: unknown): Promise<RelayError> {
  const owner = (await readFile(join(folder, "owner.pid"), "utf8").catch(() => "unknown")).trim();
  return new RelayError(
    `Embedded Postgres: ${folder} is in use by another invoice-relay process (pid ${owner}). Stop that ` +
      "one, or choose another data folder.",
    { cause },
  );
}
