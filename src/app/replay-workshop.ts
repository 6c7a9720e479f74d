import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { Route } from "../publish/claim-events.ts";
import { createSnsSender } from "../publish/sns-sender.ts";
import { readCallback } from "../receive/reading/read-callback.ts";
import { BODY_LIMIT } from "../receive/what-is-named.ts";
import type { ReadAgain } from "../replay/read-again.ts";
import type { ReplayWorkshop } from "../replay/replay-workshop.ts";

export interface ReplayWorkshopOptions {
  db: Kysely<Tables>;
  leaseMs: number;
  onQuestions: () => void | Promise<void>;
  /** What sending takes; null where nothing is sent: for questions, and for events to a file. */
  sns: { routes: readonly Route[]; region: string; endpoint: string | undefined } | null;
}

const SNS_TIMEOUT_MS = 10_000;

/** The reader that receives callbacks, for those that were recorded. */
export const readAgain: ReadAgain = (request) => {
  const reading = readCallback(request, { inflatedBytes: BODY_LIMIT });
  return reading.kind === "ids" ? { invoiceIds: reading.invoiceIds, foundBy: reading.foundBy } : null;
};

/** All that replays need, for `serve` and for the command line. */
export function createReplayWorkshop({
  db,
  leaseMs,
  onQuestions,
  sns,
}: ReplayWorkshopOptions): ReplayWorkshop {
  return {
    db,
    leaseMs,
    onQuestions,
    readAgain,
    routes: sns?.routes ?? [],
    createSender() {
      if (sns === null) throw new Error("This replay sends to SNS, and was composed without it");
      const { region, endpoint } = sns;
      return createSnsSender({ region, endpoint, connections: 1, timeoutMs: SNS_TIMEOUT_MS });
    },
  };
}
