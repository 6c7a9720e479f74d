import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { newId } from "../kit/new-id.ts";
import type { ListPeriod, PaidWindow } from "./list-period.ts";

// All statements on `sweep`: due → claimed → done, and back to due after a fault, a pause or a dead worker.

/** A sweep whose lease this worker holds. */
export interface ClaimedSweep {
  id: string;
  source: string;
  collectionId: string;
  kind: "automatic" | "back_fill";
  leaseToken: string;
  window: PaidWindow;
  /** What is left to read; null when it has not begun. */
  rest: ListPeriod | null;
  publish: boolean;
  faults: number;
  firstServedAt: Date | null;
}

export interface SweepCounts {
  /** Paid invoices that the list showed in the window. */
  listed: number;
  /** Those without an event. */
  missing: number;
  /** The missing ones whose question this sweep opened. */
  opened: number;
  /** The missing ones that a callback had asked about already. */
  called: number;
}

/** Windows overlap by this much, for what the list shows late. */
const OVERLAP = sql`interval '1 day'`;

/** A callback without an id brings a sweep forward this often at most. */
const HURRY = sql`interval '1 minute'`;

/** Makes the next automatic sweep of each collection, due one interval after the last one began. */
export async function scheduleSweeps(
  db: Kysely<Tables>,
  source: string,
  collectionIds: readonly string[],
  intervalMs: number,
): Promise<void> {
  await sql`
    insert into sweep (id, source, collection_id, kind, due_at)
    select given.id, ${source}, given.collection_id, 'automatic',
      coalesce((${lastStart(sql`given.collection_id`, source)}) + ${intervalMs}::float8 * interval '1 ms', clock_timestamp())
    from unnest(${collectionIds.map(() => newId())}::uuid[], ${collectionIds}::uuid[]) as given (id, collection_id)
    on conflict do nothing`.execute(db);
}

/** A callback named no invoice since the last sweep: whatever it was about, the list has it. */
export async function hurrySweeps(db: Kysely<Tables>, source: string): Promise<void> {
  await sql`
    update sweep set due_at = clock_timestamp()
    from (
      select collection_id, max(started_at) as started_at from sweep
      where source = ${source} and kind = 'automatic' and state = 'done' group by collection_id) as last
    where sweep.source = ${source} and sweep.collection_id = last.collection_id and sweep.kind = 'automatic'
      and sweep.state = 'due' and sweep.faults = 0 and sweep.due_at > clock_timestamp()
      and last.started_at + ${HURRY} <= clock_timestamp()
      and exists (
        select from callback
        where callback.source = ${source} and callback.verdict in ('unreadable', 'ping') and callback.received_at > last.started_at)`.execute(
    db,
  );
}

/** Takes a due automatic sweep of the source, unless the source is paused, shut or was never served. */
export async function claimSweep(
  db: Kysely<Tables>,
  source: string,
  collectionIds: readonly string[],
  leaseMs: number,
): Promise<ClaimedSweep | null> {
  return await claim(
    db,
    leaseMs,
    sql`
      select sweep.id from sweep join source on source.name = sweep.source
      where sweep.source = ${source} and sweep.kind = 'automatic' and sweep.collection_id = any(${collectionIds}::uuid[])
        and sweep.state = 'due' and sweep.due_at <= clock_timestamp()
        and source.paused_by is null and source.opens_at <= clock_timestamp() and source.first_served_at is not null
      order by sweep.due_at limit 1 for update of sweep skip locked`,
  );
}

/** The back-fill that was asked for: one that stands unfinished goes on. @returns null while another process runs it. */
export async function claimBackFill(
  db: Kysely<Tables>,
  request: { source: string; collectionId: string; window: PaidWindow; publish: boolean },
  leaseMs: number,
): Promise<ClaimedSweep | null> {
  const { source, collectionId, window, publish } = request;
  await sql`
    insert into sweep (id, source, collection_id, kind, window_from, window_to, publish)
    values (${newId()}, ${source}, ${collectionId}, 'back_fill', ${window.from}, ${window.to}, ${publish})
    on conflict do nothing`.execute(db);
  return await claim(
    db,
    leaseMs,
    sql`
      select id from sweep
      where source = ${source} and collection_id = ${collectionId} and kind = 'back_fill' and publish = ${publish}
        and window_from = ${window.from} and window_to = ${window.to}
        and (state = 'due' or (state = 'claimed' and claimed_until < clock_timestamp()))
      for update skip locked`,
  );
}

interface WindowColumns {
  windowFrom: Date;
  windowTo: Date;
}

async function claim(
  db: Kysely<Tables>,
  leaseMs: number,
  candidate: RawBuilder<unknown>,
): Promise<ClaimedSweep | null> {
  const served = sql`(select first_served_at from source where name = sweep.source)`;
  const { rows } = await sql<
    Omit<ClaimedSweep, "window" | "rest"> &
      WindowColumns & { unreadFrom: string | null; unreadTo: string | null }
  >`
    update sweep set state = 'claimed', lease_token = ${newId()}, claimed_until = clock_timestamp() + ${leaseMs}::float8 * interval '1 ms',
      started_at = coalesce(started_at, clock_timestamp()), window_to = coalesce(window_to, clock_timestamp()),
      window_from = coalesce(window_from, greatest(${served}, (
        select max(done.window_to) - ${OVERLAP} from sweep as done
        where done.source = sweep.source and done.collection_id = sweep.collection_id and done.kind = 'automatic' and done.state = 'done')))
    where id = (${candidate})
    returning id, source, kind, collection_id as "collectionId", lease_token as "leaseToken", window_from as "windowFrom", window_to as "windowTo",
      unread_from::text as "unreadFrom", unread_to::text as "unreadTo", publish, faults, ${served} as "firstServedAt"`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { windowFrom, windowTo, unreadFrom, unreadTo, ...sweep } = row;
  const rest = unreadFrom === null || unreadTo === null ? null : { first: unreadFrom, last: unreadTo };
  return { ...sweep, window: { from: windowFrom, to: windowTo }, rest };
}

/**
 * Keeps how far a sweep is: counts are added, `rest` is what is left of the list.
 * @returns whether the lease still holds; if not, nothing was written.
 */
export async function keepProgress(
  db: Kysely<Tables>,
  { id, leaseToken }: ClaimedSweep,
  counts: SweepCounts,
  rest: ListPeriod | null,
): Promise<boolean> {
  const { rows } = await sql`
    update sweep set listed = listed + ${counts.listed}, missing = missing + ${counts.missing},
      opened = opened + ${counts.opened}, called = called + ${counts.called},
      unread_from = ${rest?.first ?? null}, unread_to = ${rest?.last ?? null}
    where id = ${id} and lease_token = ${leaseToken} and state = 'claimed' returning id`.execute(db);
  return rows.length > 0;
}

/** @returns the counts of the whole sweep, earlier runs of it included. */
export async function finishSweep(
  db: Kysely<Tables>,
  { id, leaseToken }: ClaimedSweep,
): Promise<SweepCounts | null> {
  const { rows } = await sql<SweepCounts>`
    update sweep set state = 'done', finished_at = clock_timestamp(), lease_token = null, claimed_until = null, faults = 0, last_error = null
    where id = ${id} and lease_token = ${leaseToken} and state = 'claimed'
    returning listed, missing, opened, called`.execute(db);
  return rows[0] ?? null;
}

/** Gives the sweep back, to go on where it stands in `dueInMs`; `isFault` counts it as one more fault in a row. */
export async function giveBackSweep(
  db: Kysely<Tables>,
  { id, leaseToken }: ClaimedSweep,
  { dueInMs, isFault, error }: { dueInMs: number; isFault: boolean; error: string | null },
): Promise<void> {
  await sql`
    update sweep set state = 'due', lease_token = null, claimed_until = null, faults = faults + ${isFault ? 1 : 0},
      last_error = coalesce(${error}, last_error), due_at = clock_timestamp() + ${dueInMs}::float8 * interval '1 ms'
    where id = ${id} and lease_token = ${leaseToken} and state = 'claimed'`.execute(db);
}

/** When the source's next automatic sweep is due, in ms; null when there is none. */
export async function nextSweepInMs(db: Kysely<Tables>, source: string): Promise<number | null> {
  const { rows } = await sql<{ inMs: number | null }>`
    select (extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as "inMs"
    from sweep where source = ${source} and kind = 'automatic' and state = 'due'`.execute(db);
  return rows[0]?.inMs ?? null;
}

const lastStart = (collectionId: RawBuilder<unknown>, source: string) => sql`
  select max(done.started_at) from sweep as done
  where done.source = ${source} and done.collection_id = ${collectionId} and done.kind = 'automatic' and done.state = 'done'`;
