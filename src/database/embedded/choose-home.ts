import { join } from "node:path";
import { RelayError } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";
import { type Account, candidateAccounts, succeedsAs } from "./account.ts";
import { type Binaries, findBinaries } from "./find-binaries.ts";

export interface Home {
  /** Where the cluster and its password stand. */
  readonly home: string;
  readonly account: Account;
  readonly binaries: Binaries;
}

export async function chooseHome(dataDir: string, _log?: Logger): Promise<Home> {
  const binaries = await findBinaries();
  for (const account of await candidateAccounts()) {
    const runs = await succeedsAs(account, "/bin/sh", [
      "-c",
      'cd "$2" && "$1" --version',
      "sh",
      join(binaries.folder, "bin/postgres"),
      dataDir,
    ]);
    if (runs) return { home: dataDir, account, binaries };
  }
  throw new RelayError("Embedded Postgres: no account can run it.", { next: "refuse" });
}
