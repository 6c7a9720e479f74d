import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { RelayError } from "../../kit/errors.ts";

export interface DataDirLock {
  release(): void;
}

const SQLITE_BUSY = 5;

/**
 * Makes this process the only owner of a data dir.
 *
 * The lock is the kernel's own file lock, which Node reaches only through its SQLite: it ends with the process
 * however that ends, so a dead owner never has to be told from a living one by a pid that may be another's by now.
 * @throws RelayError that names the owner when another process, or this one, has it already.
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  const ownerFile = join(dataDir, "owner.pid");
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(join(dataDir, "owner.lock"), { timeout: 0 });
    database.exec("BEGIN EXCLUSIVE");
    await writeFile(ownerFile, `${process.pid}\n`);
  } catch (cause) {
    if (database?.isOpen) database.close();
    if ((cause as { errcode?: number }).errcode !== SQLITE_BUSY) {
      throw new RelayError(
        `Embedded Postgres: ${dataDir} cannot be written by this user. Give it to this user, or choose another data folder.`,
        { next: "refuse", cause },
      );
    }
    const owner = (await readFile(ownerFile, "utf8").catch(() => "unknown")).trim();
    throw new RelayError(
      `Embedded Postgres: ${dataDir} is in use by another invoice-relay process (pid ${owner}). Stop that one, or choose another data folder.`,
      { next: "refuse", cause },
    );
  }
  const held = database;
  return {
    release: () => {
      if (held.isOpen) held.close();
    },
  };
}
