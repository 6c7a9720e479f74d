import { type Kysely, sql } from "kysely";
import { audit } from "../database/audit.ts";
import type { Tables } from "../database/tables.ts";
import { RelayError } from "../kit/errors.ts";
import { newId } from "../kit/new-id.ts";
import type { Route } from "../publish/claim-events.ts";
import { refuseMeaningless } from "./filter-conditions.ts";
import type { ReplayRequest } from "./plan-replay.ts";
import { DEFAULT_RATES, type Replay } from "./replay.ts";
import { mustFindReplay } from "./replay-store.ts";
import { countCallbacks } from "./select-callbacks.ts";
import { countConfirmations } from "./select-confirmations.ts";
import { countEvents } from "./select-events.ts";

export interface StartOptions extends ReplayRequest {
  db: Kysely<Tables>;
  actor: string;
  routes: readonly Route[];
  /** The most a second. */
  rate?: number | undefined;
}

/**
 * Writes the replay down, with everything that matches up to now; whoever takes its lease runs it.
 * @returns null when nothing matches: then nothing was written.
 * @throws RelayError for filters that make no sense.
 */
export async function startReplay(options: StartOptions): Promise<Replay | null> {
  const { db, actor, kind, target, rate = DEFAULT_RATES[kind] } = options;
  refuseMeaningless(kind, options.filters, target);
  const id = newId();
  const matching = await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(trx);
    const filters = { ...options.filters, to: options.filters.to ?? rows[0]?.now };
    const matching = await count(trx, { ...options, filters });
    if (matching === 0) return 0;
    await sql`
      insert into replay (id, kind, filters, target, rate, matching, requested_by)
      values (${id}, ${kind}, ${JSON.stringify(filters)}, ${JSON.stringify(target)}, ${rate}, ${matching}, ${actor})`.execute(
      trx,
    );
    await audit(trx, [
      {
        actor,
        action: "replay.start",
        subject: id,
        invoiceId: null,
        detail: { kind, filters, target, rate, matching },
      },
    ]);
    return matching;
  });
  return matching === 0 ? null : await mustFindReplay({ db, id });
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

/** Ends a replay for good. @throws RelayError when there is none, or it has ended. */
export function cancelReplay(options: { db: Kysely<Tables>; actor: string; id: string }): Promise<Replay> {
  return changeState(options, "replay.cancel", async (trx, replay) => {
    if (replay.state !== "running")
      throw new RelayError(`The replay ${replay.id} has ended already: it is ${replay.state}.`, {
        next: "refuse",
      });
    await sql`
      update replay set state = 'cancelled', finished_at = clock_timestamp(), lease_token = null, claimed_until = null, waits_for = null
      where id = ${replay.id}`.execute(trx);
  });
}

/** Lets a failed or cancelled replay go on where it stopped. @throws RelayError when there is none, or it is done. */
export function resumeReplay(options: { db: Kysely<Tables>; actor: string; id: string }): Promise<Replay> {
  return changeState(options, "replay.resume", async (trx, replay) => {
    if (replay.state === "done")
      throw new RelayError(`The replay ${replay.id} is done: there is nothing left of it to resume.`, {
        next: "refuse",
      });
    await sql`update replay set state = 'running', finished_at = null, last_error = null where id = ${replay.id} and state <> 'running'`.execute(
      trx,
    );
    await sql`
      update alarm set cleared_at = clock_timestamp()
      where name = 'replay_failed' and subject = ${replay.id}::text and cleared_at is null`.execute(trx);
  });
}

async function changeState(
  { db, actor, id }: { db: Kysely<Tables>; actor: string; id: string },
  action: string,
  change: (trx: Kysely<Tables>, replay: Replay) => Promise<void>,
): Promise<Replay> {
  await db.transaction().execute(async (trx) => {
    await sql`select from replay where id = ${id} for update`.execute(trx);
    const replay = await mustFindReplay({ db: trx, id });
    await change(trx, replay);
    await audit(trx, [
      {
        actor,
        action,
        subject: id,
        invoiceId: null,
        detail: { from: replay.state, handled: replay.handled },
      },
    ]);
  });
  return await mustFindReplay({ db, id });
}
