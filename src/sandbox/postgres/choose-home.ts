import { join } from "node:path";
import { messageOf, RelayError } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";
import { type Account, candidateAccounts, runAs } from "./account.ts";
import { type Binaries, findBinaries } from "./find-binaries.ts";
import { copyBinariesElsewhere, homeElsewhere, moveHomeElsewhere } from "./reachable-place.ts";

export interface Home {
  /** Where the cluster and its password stand: the data dir, or its stand-in elsewhere. */
  readonly home: string;
  readonly account: Account;
  readonly binaries: Binaries;
}

/**
 * Decides who runs Postgres, with which copy of its programs and in which folder, by trying it. In place
 * whenever an account is found that reaches all of it. Only root, which Postgres refuses, can find none: then
 * the programs, and if need be the cluster, go to a folder that everybody reaches.
 * @throws RelayError with the reason when Postgres can be run by no account of this machine.
 */
export async function chooseHome(dataDir: string, log?: Logger): Promise<Home> {
  const installed = await findBinaries();
  const accounts = await candidateAccounts();
  const home = (await homeElsewhere(dataDir)) ?? dataDir;

  const inPlace = await firstThatReaches(accounts, installed, home);
  if (!(inPlace instanceof RelayError)) return inPlace;
  if (process.getuid?.() !== 0) throw inPlace;

  const copied = await copyBinariesElsewhere(installed);
  const withCopy = await firstThatReaches(accounts, copied, home);
  if (!(withCopy instanceof RelayError)) return withCopy;

  const moved = await moveHomeElsewhere(dataDir);
  log?.info({ dataDir, moved }, "embedded Postgres may not enter its data dir and works elsewhere");
  const elsewhere = await firstThatReaches(accounts, copied, moved);
  if (!(elsewhere instanceof RelayError)) return elsewhere;
  throw elsewhere;
}

const TRY = 'cd "$1" && exec "$2" --version';

async function firstThatReaches(
  accounts: readonly Account[],
  binaries: Binaries,
  home: string,
): Promise<Home | RelayError> {
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
  return new RelayError(
    `Embedded Postgres: it cannot be run here (${messageOf(refusals.join("; "))}). Use a ` +
      "PostgreSQL 15 to 18 of your own: --database postgres://…",
  );
}
