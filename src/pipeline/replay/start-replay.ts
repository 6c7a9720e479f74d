import { sql, type Transaction } from "kysely";
import { z } from "zod";
import { closeAlarms } from "../../platform/alarms/index.ts";
import { audit, type ByHand } from "../../platform/audit/index.ts";
import {
  clockTime,
  command,
  type Database,
  databaseClock,
  query,
  type Tables,
} from "../../platform/database/index.ts";
import { RelayError } from "../../platform/errors/index.ts";
import { failpoint } from "../../platform/process/index.ts";
import { newId } from "../../platform/values/index.ts";
import {
  DEFAULT_RATES,
  type Replay,
  type ReplayFilters,
  type ReplayRequest,
  refuseMeaningless,
  replayed,
} from "./replay.ts";
import { mustFindReplay, NO_LEASE, updateReplay, withdrawEvents } from "./replay-rows.ts";
import { countEvents } from "./select-events.ts";
import { countCallbacks, countConfirmations } from "./select-invoices.ts";

export const replayPlan = z.object(replayed);
type ReplayPlan = z.output<typeof replayPlan>;

interface PlanOptions extends ReplayRequest {
  db: Database;
}

/**
 * The dry run: how many items a replay would process. Changes nothing.
 * @throws RelayError for filters that do not apply.
 */
export async function planReplay(options: PlanOptions): Promise<ReplayPlan> {
  const { db, kind, filters, target } = options;
  refuseMeaningless(options);
  return { kind, filters, target, matching: await COUNTS[kind](db, options) };
}

/** How many items match, by kind. */
export const COUNTS = {
  confirmations: countConfirmations,
  callbacks: countCallbacks,
  events: countEvents,
};

export interface StartOptions extends ReplayRequest, ByHand {
  rate?: number | undefined;
}

const insertReplay = command(
  ({ kind, target, rate, actor }: StartOptions, id: string, filters: ReplayFilters, matching: number) => sql`
    insert into replay (id, kind, filters, target, rate, matching, requested_by)
    values (${id}, ${kind}, ${JSON.stringify(filters)}, ${JSON.stringify(target)}, ${rate}, ${matching}, ${actor})`,
);

/**
 * Stores a replay of everything that matches up to now; the process that takes its lease runs it.
 * @returns null when nothing matches; nothing is stored then.
 * @throws RelayError for filters that do not apply.
 */
export async function startReplay(options: StartOptions): Promise<Replay | null> {
  const { db, actor, kind, target, rate = DEFAULT_RATES[kind] } = options;
  refuseMeaningless(options);
  const id = newId();
  const matching = await db.transaction().execute(async (trx) => {
    const filters = { ...options.filters, to: options.filters.to ?? (await databaseClock(trx)) };
    const matching = await COUNTS[kind](trx, { ...options, filters });
    if (matching === 0) return 0;
    await insertReplay(trx, { ...options, rate }, id, filters, matching);
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
    failpoint("replay to be started");
    return matching;
  });
  if (matching === 0) return null;
  failpoint("replay started");
  return await mustFindReplay({ db, id });
}

interface ChangeOptions extends ByHand {
  id: string;
}

/** Ends a replay for good, also a failed one. @throws RelayError when it does not exist or has ended. */
export function cancelReplay(options: ChangeOptions): Promise<Replay> {
  return changeState(options, "replay.cancel", async (trx, replay) => {
    if (replay.state === "done" || replay.state === "cancelled")
      throw new RelayError(`The replay ${replay.id} has already ended: it is ${replay.state}.`);
    await updateReplay(trx, replay.id, { state: "cancelled", finished_at: clockTime, ...NO_LEASE }).execute();
    await withdrawEvents(trx, replay);
  });
}

/**
 * Makes a failed or cancelled replay resume where it stopped.
 * @throws RelayError when it does not exist or is done.
 */
export function resumeReplay(options: ChangeOptions): Promise<Replay> {
  return changeState(options, "replay.resume", async (trx, replay) => {
    if (replay.state === "done")
      throw new RelayError(`The replay ${replay.id} is done: there is nothing to resume.`);
    if (replay.state !== "running")
      await updateReplay(trx, replay.id, { state: "running", finished_at: null, last_error: null }).execute();
  });
}

const lockReplay = query((db, id: string) =>
  db.selectFrom("replay").select("id").where("id", "=", id).forUpdate(),
);

async function changeState(
  { db, actor, id, reason }: ChangeOptions,
  action: string,
  change: (trx: Transaction<Tables>, replay: Replay) => Promise<void>,
): Promise<Replay> {
  await db.transaction().execute(async (trx) => {
    await lockReplay(trx, id).execute();
    const replay = await mustFindReplay({ db: trx, id });
    await change(trx, replay);
    await closeAlarms(trx, ["replay_failed"], [{ source: "", subject: id }]);
    const detail = { from: replay.state, handled: replay.handled };
    await audit(trx, [{ actor, action, subject: id, invoiceId: null, detail, reason }]);
  });
  return await mustFindReplay({ db, id });
}
