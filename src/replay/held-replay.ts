import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import { type Alarm, raising } from "../database/alarms.ts";
import { leaseEnd } from "../database/leased-rows.ts";
import type { Tables } from "../database/tables.ts";
import { newId } from "../kit/new-id.ts";
import { LeaseLost } from "../workers/held-lease.ts";
import type { HeldReplay, Position, ReplayState } from "./replay.ts";
import { COLUMNS } from "./replay-rows.ts";

const HELD_COLUMNS = sql`${COLUMNS}, lease_token as "leaseToken", position`;

/**
 * Takes the lease, unless someone else holds it or another replay of its kind is under way: they take turns,
 * so that live traffic waits behind one of them at most.
 * @returns null when it cannot be had now.
 */
export function claimReplay(
  db: Kysely<Tables>,
  id: string | "any on a topic",
  leaseMs: number,
): Promise<HeldReplay | null> {
  const which = id === "any on a topic" ? sql`target ->> 'kind' <> 'file'` : sql`id = ${id}`;
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('invoice-relay replay'))`.execute(trx);
    const { rows } = await sql<HeldReplay>`
      update replay set lease_token = ${newId()}, claimed_until = ${leaseEnd(sql`${leaseMs}`)},
        started_at = coalesce(started_at, clock_timestamp())
      where state = 'running' and id = (
        select id from replay where state = 'running' and ${which}
          and coalesce(claimed_until < clock_timestamp(), true)
          and kind not in (select kind from replay where state = 'running' and claimed_until >= clock_timestamp())
        order by requested_at, id limit 1)
      returning ${HELD_COLUMNS}`.execute(trx);
    return rows[0] ?? null;
  });
}

export interface ProgressMade {
  handled?: number;
  opened?: number;
  sent?: number;
  refused?: number;
  /** Left out: it stays where it is. */
  position?: Position | null;
}

/** @throws LeaseLost, which rolls back what the transaction did, unless the caller lets it stand. */
export async function saveProgress(
  trx: Transaction<Tables> | Kysely<Tables>,
  held: HeldReplay,
  { handled = 0, opened = 0, sent = 0, refused = 0, position = held.position }: ProgressMade,
): Promise<HeldReplay> {
  return await change(
    trx,
    held,
    sql`handled = handled + ${handled}, opened = opened + ${opened}, sent = sent + ${sent},
      refused = refused + ${refused}, position = ${position === null ? null : JSON.stringify(position)}::json,
      waits_for = null`,
  );
}

/** @throws LeaseLost */
export const saveWaiting = (db: Kysely<Tables>, held: HeldReplay, why: string) =>
  change(db, held, sql`waits_for = ${why}`);

/** @throws LeaseLost */
export const extendReplay = (db: Kysely<Tables>, held: HeldReplay, leaseMs: number) =>
  change(db, held, sql`claimed_until = ${leaseEnd(sql`${leaseMs}`)}`);

const NO_LEASE = sql`lease_token = null, claimed_until = null, waits_for = null`;

/** Gives the lease back; the next one goes on where it stands. @throws LeaseLost */
export const releaseReplay = (db: Kysely<Tables>, held: HeldReplay) => change(db, held, NO_LEASE);

/** @throws LeaseLost */
export const endReplay = (
  db: Kysely<Tables>,
  held: HeldReplay,
  state: Exclude<ReplayState, "running" | "cancelled">,
  lastError: string | null = null,
) =>
  change(
    db,
    held,
    sql`state = ${state}, finished_at = clock_timestamp(), last_error = ${lastError}, ${NO_LEASE}`,
  );

/** Ends a replay that cannot go on, and raises the alarm that says so with it (G13). @throws LeaseLost */
export function failReplay(db: Kysely<Tables>, held: HeldReplay, why: string, alarm: Alarm | null) {
  return db.transaction().execute(async (trx) => {
    const failed = await endReplay(trx, held, "failed", why);
    if (alarm !== null) {
      const { name, source, subject, detail } = alarm;
      await raising(sql`
        select ${name}::text as name, ${source}::text as source, ${subject}::text as subject,
          ${detail}::text as detail`).execute(trx);
    }
    return failed;
  });
}

async function change(
  db: Kysely<Tables>,
  held: HeldReplay,
  assignments: RawBuilder<unknown>,
): Promise<HeldReplay> {
  const { rows } = await sql<HeldReplay>`
    update replay set ${assignments}
    where id = ${held.id} and lease_token = ${held.leaseToken} and state = 'running'
    returning ${HELD_COLUMNS}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new LeaseLost(`the replay ${held.id} is no longer held`);
  return row;
}
