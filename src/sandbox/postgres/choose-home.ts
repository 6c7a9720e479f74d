import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readlink, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, RelayError } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";
import { type Account, candidateAccounts, runAs, SELF } from "./account.ts";
import { type Binaries, findBinaries } from "./find-binaries.ts";
import { stopLeftoverServer } from "./server-process.ts";

/**
 * Decides who runs Postgres, with which copy of its programs and in which folder, by trying it. In place
 * whenever an account is found that reaches all of it. Only root, which Postgres refuses, can find none: then
 * the programs, and if need be the cluster, go to a folder that everybody reaches.
 * @returns with it where the cluster and its password stand: the data dir, or its stand-in elsewhere.
 * @throws RelayError with the reason when Postgres can be run by no account of this machine.
 */
export async function chooseHome(dataDir: string, log?: Logger) {
  const installed = await findBinaries();
  const accounts = await candidateAccounts();
  const home = (await homeElsewhere(dataDir)) ?? dataDir;

  try {
    return await firstThatReaches(accounts, installed, home);
  } catch (error) {
    if (process.getuid?.() !== 0) throw error;
  }
  const copied = await copyBinariesElsewhere(installed);
  return await firstThatReaches(accounts, copied, home).catch(async () => {
    const moved = await moveHomeElsewhere(dataDir);
    log?.info({ dataDir, moved }, "embedded Postgres may not enter its data dir and works elsewhere");
    return await firstThatReaches(accounts, copied, moved);
  });
}

const TRY = 'cd "$1" && exec "$2" --version';

/** @throws RelayError with what each account was refused by. */
async function firstThatReaches(accounts: readonly Account[], binaries: Binaries, home: string) {
  const program = join(binaries.folder, "bin/postgres");
  const refusals: string[] = [];
  for (const account of accounts) {
    try {
      await runAs(account, "/bin/sh", ["-c", TRY, "sh", home, program]);
      return { home, account, binaries };
    } catch (error) {
      refusals.push((error as { stderr?: string }).stderr?.trim() || messageOf(error));
    }
  }
  throw new RelayError(
    `Embedded Postgres: it cannot be run here (${messageOf(refusals.join("; "))}). Use a ` +
      "PostgreSQL 15 to 18 of your own: --database postgres://…",
  );
}

/** Written by root only and entered by everybody, so nobody can plant programs in it, as they could below /tmp. */
const BASE = "/var/lib/invoice-relay";

/** Copies the programs to where every account can run them; a copy that is there is used again. */
async function copyBinariesElsewhere(binaries: Binaries): Promise<Binaries> {
  const folder = join(BASE, binaries.release);
  if (existsSync(folder)) return { ...binaries, folder };
  const unfinished = await mkdtemp(join(await openBase(), "unfinished-"));
  try {
    await cp(binaries.folder, unfinished, { recursive: true, verbatimSymlinks: true });
    await runAs(SELF, "chown", ["-R", "0:0", unfinished]);
    await runAs(SELF, "chmod", ["-R", "u+rwX,go-w,a+rX", unfinished]);
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another process may have been faster.
    if (!existsSync(folder)) throw error;
  }
  return { ...binaries, folder };
}

/** The data dir's stand-in, when it was moved before. A copied data dir does not share the original's. */
async function homeElsewhere(dataDir: string): Promise<string | undefined> {
  const standIn = standInFor(dataDir);
  const pointer = await readlink(join(dataDir, "elsewhere")).catch(() => undefined);
  return pointer === standIn && existsSync(standIn) ? standIn : undefined;
}

/**
 * Gives the data dir a stand-in that every account reaches, takes the cluster along if there is one, and
 * leaves the link `elsewhere` in the data dir. What a data dir removed since then had left in that place is
 * removed.
 */
async function moveHomeElsewhere(dataDir: string): Promise<string> {
  const standIn = standInFor(dataDir);
  await stopLeftoverServer(join(standIn, "cluster"));
  await rm(standIn, { recursive: true, force: true });
  const unfinished = await mkdtemp(join(await openBase(), "unfinished-"));
  try {
    await chmod(unfinished, 0o711);
    const taken: string[] = [];
    await stopLeftoverServer(join(dataDir, "cluster"));
    for (const name of ["password", "cluster"]) {
      if (!existsSync(join(dataDir, name))) continue;
      await cp(join(dataDir, name), join(unfinished, name), { recursive: true, verbatimSymlinks: true });
      taken.push(join(dataDir, name));
    }
    await rename(unfinished, standIn);
    await rm(join(dataDir, "elsewhere"), { force: true });
    await symlink(standIn, join(dataDir, "elsewhere"));
    for (const path of taken) await rm(path, { recursive: true, force: true });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return standIn;
}

const standInFor = (dataDir: string) =>
  join(BASE, `data-${createHash("sha256").update(dataDir).digest("hex").slice(0, 16)}`);

async function openBase(): Promise<string> {
  try {
    await mkdir(BASE, { recursive: true });
    // Whatever this process' umask is.
    await chmod(BASE, 0o711);
    return BASE;
  } catch (cause) {
    throw new RelayError(
      `Embedded Postgres: as root it needs ${BASE}, which cannot be made (${messageOf(cause)}). Run ` +
        "as another user, or use a PostgreSQL of your own: --database postgres://…",
      { cause },
    );
  }
}
