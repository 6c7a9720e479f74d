import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readlink, rename, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, RelayError } from "../../kit/errors.ts";
import { type Account, ownerIds, runAs } from "./account.ts";
import type { Binaries } from "./find-binaries.ts";
import { stopLeftoverServer } from "./stop-leftover-server.ts";

/**
 * Written by root only and entered by everybody, so nobody can plant programs in it, as they could below
 * /tmp.
 */
const BASE = "/var/lib/invoice-relay";

const ROOT: Account = { name: "self", prefix: [], ids: {} };

/** Copies the programs to where every account can run them; a copy that is there is used again. */
export async function copyBinariesElsewhere(binaries: Binaries): Promise<Binaries> {
  const folder = join(BASE, binaries.release);
  if (existsSync(folder)) return { ...binaries, folder };
  const unfinished = await mkdtemp(join(await openBase(), "unfinished-"));
  try {
    await cp(binaries.folder, unfinished, { recursive: true, verbatimSymlinks: true });
    await runAs(ROOT, "chown", ["-R", "0:0", unfinished]);
    await runAs(ROOT, "chmod", ["-R", "u+rwX,go-w,a+rX", unfinished]);
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another process may have been faster.
    if (!existsSync(folder)) throw error;
  }
  return { ...binaries, folder };
}

/** The data dir's stand-in, when it was moved before. A copied data dir does not share the original's. */
export async function homeElsewhere(dataDir: string): Promise<string | undefined> {
  const place = placeFor(dataDir);
  const pointer = await readlink(join(dataDir, "elsewhere")).catch(() => undefined);
  return pointer === place && existsSync(place) ? place : undefined;
}

/**
 * Gives the data dir a stand-in that every account reaches, takes the cluster along if there is one, and
 * leaves the link `elsewhere` in the data dir. What a data dir removed since then had left in that place is
 * removed.
 */
export async function moveHomeElsewhere(dataDir: string): Promise<string> {
  const place = placeFor(dataDir);
  await stopLeftoverServer(join(place, "cluster"));
  await rm(place, { recursive: true, force: true });
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
    await rename(unfinished, place);
    await rm(join(dataDir, "elsewhere"), { force: true });
    await symlink(place, join(dataDir, "elsewhere"));
    for (const path of taken) await rm(path, { recursive: true, force: true });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return place;
}

/** Makes everything below a path the account's own; only root can. */
export async function giveTo(account: Account, path: string): Promise<void> {
  const { uid, gid } = ownerIds(account);
  if (process.getuid?.() !== 0 || (await stat(path)).uid === uid) return;
  await runAs(ROOT, "chown", ["-R", `${uid}:${gid}`, path]);
}

const placeFor = (dataDir: string) =>
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
