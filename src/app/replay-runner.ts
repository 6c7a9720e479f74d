import type { Kysely } from "kysely";
import type { Alarms } from "../database/alarms.ts";
import type { Tables } from "../database/tables.ts";
import { snsDestination } from "../destination/sns-destination.ts";
import type { Route } from "../outbox/event.ts";
import { readCallback } from "../receive/reading/read-callback.ts";
import { BODY_LIMIT } from "../receive/what-is-named.ts";
import type { ReadAgain } from "../replay/read-again.ts";
import { ReplayRunner } from "../replay/replay-runner.ts";

export interface ReplayRunnerOptions {
  db: Kysely<Tables>;
  leaseMs: number;
  onConfirmations: () => void | Promise<void>;
  /** Told of a replay that cannot go on; null where a person watches. */
  alarms: Alarms | null;
  /** What sending takes; null where nothing is sent: for confirmations, and for events to a file. */
  sns: { routes: readonly Route[]; region: string; endpoint: string | undefined } | null;
}

const SNS_TIMEOUT_MS = 10_000;

/** The reader that receives callbacks, for those that were recorded. */
export const readAgain: ReadAgain = (request) => {
  const reading = readCallback(request, { inflatedBytes: BODY_LIMIT });
  return reading.kind === "ids" ? { invoiceIds: reading.invoiceIds, foundBy: reading.foundBy } : null;
};

/** Runs replays, for `serve` and for the command line. */
export function replayRunner({ sns, ...options }: ReplayRunnerOptions): ReplayRunner {
  return new ReplayRunner({
    ...options,
    readAgain,
    routes: sns?.routes ?? [],
    createDestination() {
      if (sns === null) throw new Error("This replay sends to SNS, and was composed without it");
      const { region, endpoint } = sns;
      return snsDestination({ region, endpoint, connections: 1, timeoutMs: SNS_TIMEOUT_MS });
    },
  });
}
