import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, RelayError } from "../../kit/errors.ts";
import { Secret } from "../../kit/secret.ts";
import { type Account, giveTo, runAs } from "./account.ts";

interface InitClusterOptions {
  dataDir: string;
  account: Account;
  binaries: string;
  durable: boolean;
}

const UNFINISHED = "initdb-";

/**
 * Makes the cluster in `<data dir>/cluster`, UTF8 with locale C, unless it is there. It appears there all at
 * once: an initdb that was cut short leaves nothing that a later start could take for a database.
 * @returns its folder, and the password of the user `postgres`, without which there is no way in.
 * @throws RelayError when initdb fails or the password is lost.
 */
export async function initCluster(options: InitClusterOptions) {
  const { dataDir, account, binaries } = options;
  const folder = join(dataDir, "cluster");
  if (existsSync(folder)) {
    // It may have been made under another account.
    await giveTo(account, folder);
    return { folder, password: await readPassword(dataDir, folder) };
  }

  for (const name of await readdir(dataDir)) {
    if (name.startsWith(UNFINISHED)) await rm(join(dataDir, name), { recursive: true, force: true });
  }
  const passwordFile = await writePassword(dataDir, account);
  const unfinished = await mkdtemp(join(dataDir, UNFINISHED));
  await giveTo(account, unfinished);
  try {
    await runAs(account, join(binaries, "bin/initdb"), [
      `--pgdata=${unfinished}`,
      "--username=postgres",
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--no-instructions",
      ...(options.durable ? [] : ["--no-sync"]),
    ]);
  } catch (cause) {
    await rm(unfinished, { recursive: true, force: true });
    throw new RelayError(`Embedded Postgres: initdb failed in ${dataDir}. ${messageOf(cause)}`, { cause });
  }
  await rename(unfinished, folder);
  return { folder, password: await readPassword(dataDir, folder) };
}

async function writePassword(dataDir: string, account: Account): Promise<string> {
  const file = join(dataDir, "password");
  await rm(file, { force: true });
  await writeFile(file, randomBytes(24).toString("base64url"), { mode: 0o600, flag: "wx" });
  await giveTo(account, file);
  return file;
}

async function readPassword(dataDir: string, folder: string): Promise<Secret> {
  const file = join(dataDir, "password");
  try {
    return new Secret((await readFile(file, "utf8")).trim());
  } catch (cause) {
    throw new RelayError(
      `Embedded Postgres: ${file} cannot be read, and without it nobody gets into ${folder}. Restore ` +
        `it, or remove ${dataDir} to begin anew.`,
      { cause },
    );
  }
}
