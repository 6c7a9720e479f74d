import type { Kysely } from "kysely";
import { audit, type ByHand } from "../alarms/audit.ts";
import { databaseClock } from "../database/clock.ts";
import type { Tables } from "../database/tables.ts";
import { newId } from "../kit/ids.ts";
import { step } from "../kit/step.ts";
import type { Route } from "../publish/event.ts";
import { refuseMeaningless } from "./filter-conditions.ts";
import type { ReplayRequest } from "./plan-replay.ts";
import { DEFAULT_RATES, type Replay } from "./replay.ts";
import { mustFindReplay } from "./replay-rows.ts";
import { countCallbacks } from "./select-callbacks.ts";
import { countConfirmations } from "./select-confirmations.ts";
import { countEvents } from "./select-events.ts";

export interface StartOptions extends ReplayRequest, ByHand {
  routes: readonly Route[];
  /** The most per second. */
  rate?: number | undefined;
}

/**
 * Stores a replay of everything that matches up to now; whoever takes its lease runs it.
 * @returns null when nothing matches; nothing is stored then.
 * @throws RelayError for filters that do not apply.
 */
export async function startReplay(options: StartOptions): Promise<Replay | null> {
  const { db, actor, kind, target, rate = DEFAULT_RATES[kind] } = options;
  refuseMeaningless(kind, options.filters, target);
  const id = newId();
  const matching = await db.transaction().execute(async (trx) => {
    const filters = { ...options.filters, to: options.filters.to ?? (await databaseClock(trx)) };
    const matching = await count(trx, { ...options, filters });
    if (matching === 0) return 0;
    await trx
      .insertInto("replay")
      .values({
        id,
        kind,
        filters: JSON.stringify(filters),
        target: JSON.stringify(target),
        rate,
        matching,
        requested_by: actor,
      })
      .execute();
    await audit(trx, [
      {
        actor,
        action: "replay.start",
        subject: id,
        invoiceId: null,
        detail: { kind, filters, target, rate, matching },
        reason: options.reason,
      },
    ]);
    step("replay to be started");
    return matching;
  });
  if (matching === 0) return null;
  step("replay started");
  return await mustFindReplay({ db, id });
}

function count(
  db: Kysely<Tables>,
  { kind, filters, target, routes }: ReplayRequest & { routes: readonly Route[] },
): Promise<number> {
  switch (kind) {
    case "confirmations":
      return countConfirmations(db, filters);
    case "callbacks":
      return countCallbacks(db, filters);
    case "events":
      return countEvents(db, filters, target, routes);
  }
}
