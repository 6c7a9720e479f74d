import { join } from "node:path";
import { RelayError } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";
import { type Account, candidateAccounts, succeedsAs } from "./account.ts";
import { type Binaries, findBinaries } from "./find-binaries.ts";
import { copyBinariesElsewhere, homeElsewhere, moveHomeElsewhere } from "./reachable-place.ts";

export interface Home {
  /** Where the cluster and its password stand: the data dir, or its stand-in elsewhere. */
  readonly home: string;
  readonly account: Account;
  readonly binaries: Binaries;
}

/**
 * Decides who runs Postgres, with which copy of its programs and in which folder, by trying it.
 * In place whenever an account is found that reaches all of it. Only root, which Postgres refuses, can find none:
 * then the programs, and if need be the cluster, go to a folder that everybody reaches.
 * @throws RelayError when Postgres can be run by no account of this machine.
 */
export async function chooseHome(dataDir: string, log?: Logger): Promise<Home> {
  const installed = await findBinaries();
  const accounts = await candidateAccounts();
  const home = (await homeElsewhere(dataDir)) ?? dataDir;

  const inPlace = await firstThatReaches(accounts, installed, home);
  if (inPlace !== undefined) return inPlace;
  if (process.getuid?.() !== 0) throw cannotRun(dataDir);

  const copied = await copyBinariesElsewhere(installed);
  const withCopy = await firstThatReaches(accounts, copied, home);
  if (withCopy !== undefined) return withCopy;

  const moved = await moveHomeElsewhere(dataDir);
  log?.info({ dataDir, moved }, "embedded Postgres may not enter its data dir and works elsewhere");
  const elsewhere = await firstThatReaches(accounts, copied, moved);
  if (elsewhere !== undefined) return elsewhere;
  throw cannotRun(moved);
}

async function firstThatReaches(
  accounts: readonly Account[],
  binaries: Binaries,
  home: string,
): Promise<Home | undefined> {
  const program = join(binaries.folder, "bin/postgres");
  for (const account of accounts) {
    if (await succeedsAs(account, "/bin/sh", ["-c", 'cd "$1" && exec "$2" --version', "sh", home, program]))
      return { home, account, binaries };
  }
  return undefined;
}

const cannotRun = (place: string) =>
  new RelayError(
    `Embedded Postgres: it cannot be run on this machine, or not in ${place}. Set DATABASE_URL to a PostgreSQL 15 or newer.`,
    { next: "refuse" },
  );
