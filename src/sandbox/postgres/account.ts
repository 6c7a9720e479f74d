import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { messageOf, RelayError } from "../../kit/errors.ts";

const execute = promisify(execFile);

/** In whose name Postgres runs. Postgres refuses to run as root. */
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
 * The first account of this machine that may enter the data dir and run the programs, found by trying.
 * @throws RelayError with what each account was refused by.
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
    "Postgres refuses to run as root, and nobody may not enter these folders: run as an ordinary user, " +
    `chmod o+x the folders above ${binaries} and ${dataDir}, or `;
  throw new RelayError(
    `Embedded Postgres: it cannot be run here (${messageOf(refusals.join("; "))}). ` +
      `${process.getuid?.() === 0 ? asRoot : ""}use a PostgreSQL 15 to 18 of your own: --database postgres://…`,
  );
}

/** The best first. */
async function candidates(): Promise<Account[]> {
  // To itself the process is nobody, to the file system it stays who it was: nothing has to change hands.
  const namespace: Account = {
    name: "namespace",
    prefix: ["unshare", "--user", "--map-user=65534", "--"],
    ids: {},
  };
  if (process.getuid?.() !== 0) return hasName() ? [SELF] : [namespace, SELF];
  return [namespace, { name: "nobody", prefix: [], ids: await idsOfNobody() }];
}

/** initdb looks its user up in the password file; `docker run --user 1234` is not in it. */
function hasName(): boolean {
  try {
    return userInfo().username !== "";
  } catch {
    return false;
  }
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
export async function giveTo({ ids }: Account, path: string): Promise<void> {
  const { uid = 0, gid = 0 } = ids;
  if (process.getuid?.() !== 0 || (await stat(path)).uid === uid) return;
  await runAs(SELF, "chown", ["-R", `${uid}:${gid}`, path]);
}

/** @throws an Error whose message holds what the program wrote to stderr. */
export async function runAs(account: Account, program: string, args: readonly string[]): Promise<void> {
  const [first = program, ...rest] = [...account.prefix, program, ...args];
  await execute(first, rest, { ...account.ids, cwd: "/", env: environment(), maxBuffer: 16 * 1024 * 1024 });
}
