import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import type { ReplayState, Tables } from "../database/tables.ts";
import { RelayError } from "../kit/errors.ts";
import { newId } from "../kit/new-id.ts";
import type { HeldReplay, Position, Replay } from "./replay.ts";

const COLUMNS = sql`
  id, kind, state, filters, target, rate, requested_by as "requestedBy", requested_at as "requestedAt",
  started_at as "startedAt", finished_at as "finishedAt", matching, handled, opened, sent, refused,
  coalesce(claimed_until > clock_timestamp(), false) as "underWay", waits_for as "waitsFor", last_error as "lastError"`;
const HELD_COLUMNS = sql`${COLUMNS}, lease_token as "leaseToken", position`;

/** The lease went to another process, or the replay was cancelled: whoever held it stops. */
export class LeaseLost extends Error {}

/** The newest first. */
export async function listReplays({
  db,
  limit = 20,
}: {
  db: Kysely<Tables>;
  limit?: number;
}): Promise<Replay[]> {
  const { rows } =
    await sql<Replay>`select ${COLUMNS} from replay order by requested_at desc, id desc limit ${limit}`.execute(
      db,
    );
  return rows;
}

export async function findReplay({ db, id }: { db: Kysely<Tables>; id: string }): Promise<Replay | null> {
  const { rows } = await sql<Replay>`select ${COLUMNS} from replay where id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/** @throws RelayError when there is none. */
export async function mustFindReplay(options: { db: Kysely<Tables>; id: string }): Promise<Replay> {
  const replay = await findReplay(options);
  if (replay === null)
    throw new RelayError(`There is no replay ${options.id}. List them with: invoice-relay replay list`, {
      next: "refuse",
      code: "not_found",
    });
  return replay;
}

/** The entries of one replay that SNS refused. */
export async function listRefusals({
  db,
  id,
  limit = 100,
}: {
  db: Kysely<Tables>;
  id: string;
  limit?: number;
}): Promise<{ eventId: string; invoiceId: string | null; error: string }[]> {
  const { rows } = await sql<{ eventId: string; invoiceId: string | null; error: string }>`
    select refusal.event_id as "eventId", event.invoice_id as "invoiceId", refusal.error
    from replay_refusal as refusal left join event on event.id = refusal.event_id
    where refusal.replay_id = ${id} order by refusal.refused_at, refusal.event_id limit ${limit}`.execute(db);
  return rows;
}

/**
 * Takes the lease, unless someone else holds it or another replay of its kind is under way: they take turns, so
 * that live traffic waits behind one of them at most.
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
      update replay set lease_token = ${newId()}, claimed_until = clock_timestamp() + ${leaseMs}::float8 * interval '1 ms',
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
  made: ProgressMade,
): Promise<HeldReplay> {
  const position = made.position ?? held.position;
  return await change(
    trx,
    held,
    sql`handled = handled + ${made.handled ?? 0}, opened = opened + ${made.opened ?? 0}, sent = sent + ${made.sent ?? 0},
      refused = refused + ${made.refused ?? 0}, position = ${position === null ? null : JSON.stringify(position)}::json, waits_for = null`,
  );
}

export const saveWaiting = (db: Kysely<Tables>, held: HeldReplay, why: string) =>
  change(db, held, sql`waits_for = ${why}`);

export const extendReplay = (db: Kysely<Tables>, held: HeldReplay, leaseMs: number) =>
  change(db, held, sql`claimed_until = clock_timestamp() + ${leaseMs}::float8 * interval '1 ms'`);

/** Gives the lease back; the next one goes on where it stands. */
export const releaseReplay = (db: Kysely<Tables>, held: HeldReplay) =>
  change(db, held, sql`lease_token = null, claimed_until = null, waits_for = null`);

export const endReplay = (
  db: Kysely<Tables>,
  held: HeldReplay,
  state: Exclude<ReplayState, "running" | "cancelled">,
  lastError: string | null = null,
) =>
  change(
    db,
    held,
    sql`state = ${state}, finished_at = clock_timestamp(), lease_token = null, claimed_until = null, waits_for = null, last_error = ${lastError}`,
  );

async function change(
  db: Kysely<Tables>,
  held: HeldReplay,
  assignments: RawBuilder<unknown>,
): Promise<HeldReplay> {
  const { rows } = await sql<HeldReplay>`
    update replay set ${assignments} where id = ${held.id} and lease_token = ${held.leaseToken} and state = 'running'
    returning ${HELD_COLUMNS}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new LeaseLost(`the replay ${held.id} is no longer held`);
  return row;
}
