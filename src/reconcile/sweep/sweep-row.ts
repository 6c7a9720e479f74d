import { type Kysely, type RawBuilder, sql } from "kysely";
import { type Alarm, type AlarmChange, alarmsOf, CLEARED, type EndedAlarm } from "../../database/alarms.ts";
import { LeasedRows, leaseEnd } from "../../database/leased-rows.ts";
import type { Tables } from "../../database/tables.ts";
import { newId } from "../../kit/new-id.ts";
import { namelessCallbackSince } from "../../record/nameless-callback.ts";
import { firstServedAt, isServedAndOpen } from "../../upstreams/first-served.ts";
import type { ListPeriod, PaidWindow } from "../list/list-period.ts";
import type { Unproven } from "../list/list-reader.ts";

// All statements on `sweep`: due → claimed → done, and back to due after a fault, a pause or a dead worker.

export const sweepLeases = new LeasedRows("sweep", "id");

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
  /** What did not prove itself whole so far, the last sweep's included. */
  unproven: Unproven[];
  publish: boolean;
  faults: number;
  firstServedAt: Date | null;
}

export interface SweepCounts {
  /** Paid invoices that the list showed in the window. */
  listed: number;
  /** Those without an event. */
  missing: number;
  /** The missing ones whose confirmation this sweep opened. */
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
      coalesce((${lastStart(sql`given.collection_id`, source)}) + ${intervalMs}::float8 * interval '1 ms',
        clock_timestamp())
    from unnest(${collectionIds.map(() => newId())}::uuid[], ${collectionIds}::uuid[])
      as given (id, collection_id)
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
      and ${namelessCallbackSince(source, sql`last.started_at`)}`.execute(db);
}

/** Takes a due automatic sweep of the source, unless the source is paused, backs off or was never served. */
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
      select id from sweep
      where source = ${source} and kind = 'automatic' and collection_id = any(${collectionIds}::uuid[])
        and state = 'due' and due_at <= clock_timestamp() and ${isServedAndOpen(sql`${source}`)}
      order by due_at limit 1 for update skip locked`,
  );
}

/**
 * The back-fill that was asked for: one that stands unfinished goes on.
 * @returns null while another process runs it.
 */
export async function claimBackFill(
  db: Kysely<Tables>,
  request: { source: string; collectionId: string; window: PaidWindow; publish: boolean },
  leaseMs: number,
): Promise<ClaimedSweep | null> {
  const { source, collectionId, window, publish } = request;
  await db
    .insertInto("sweep")
    .values({
      id: newId(),
      source,
      collection_id: collectionId,
      kind: "back_fill",
      window_from: window.from,
      window_to: window.to,
      publish,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return await claim(
    db,
    leaseMs,
    sql`
      select id from sweep
      where source = ${source} and collection_id = ${collectionId} and kind = 'back_fill'
        and publish = ${publish}
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
  const served = firstServedAt(sql`sweep.source`);
  const { rows } = await sql<
    Omit<ClaimedSweep, "window" | "rest"> &
      WindowColumns & { unreadFrom: string | null; unreadTo: string | null }
  >`
    update sweep set state = 'claimed', lease_token = ${newId()},
      claimed_until = ${leaseEnd(sql`${leaseMs}`)},
      started_at = coalesce(started_at, clock_timestamp()),
      window_to = coalesce(window_to, clock_timestamp()),
      window_from = coalesce(window_from, greatest(${served}, (${last(sql`window_to - ${OVERLAP}`)}))),
      unproven = case when started_at is null and kind = 'automatic'
        then coalesce((${last(sql`unproven`)}), unproven) else unproven end
    where id = (${candidate})
    returning id, source, kind, collection_id as "collectionId", lease_token as "leaseToken",
      window_from as "windowFrom", window_to as "windowTo", unread_from::text as "unreadFrom",
      unread_to::text as "unreadTo", unproven, publish, faults, ${served} as "firstServedAt"`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { windowFrom, windowTo, unreadFrom, unreadTo, ...sweep } = row;
  const rest = unreadFrom === null || unreadTo === null ? null : { first: unreadFrom, last: unreadTo };
  return { ...sweep, window: { from: windowFrom, to: windowTo }, rest };
}

/**
 * Keeps how far a sweep is: `rest` is what is left of the list.
 * @returns whether the lease still holds; if not, nothing was written.
 */
export async function keepProgress(
  db: Kysely<Tables>,
  { id, leaseToken }: ClaimedSweep,
  progress: { listed: number; rest: ListPeriod | null; unproven: readonly Unproven[] },
): Promise<boolean> {
  const { listed, rest, unproven } = progress;
  const { numUpdatedRows } = await db
    .updateTable("sweep")
    .set({
      listed: sql`listed + ${listed}`,
      unread_from: rest?.first ?? null,
      unread_to: rest?.last ?? null,
      unproven: JSON.stringify(unproven),
    })
    .where("id", "=", id)
    .where("lease_token", "=", leaseToken)
    .where("state", "=", "claimed")
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * With the alarms that its end raises or ends (G13).
 * @returns the counts of the whole sweep, earlier runs of it included; null when the lease is lost.
 */
export async function finishSweep(
  db: Kysely<Tables>,
  { id, leaseToken, kind }: ClaimedSweep,
  alarms: AlarmChange,
): Promise<(SweepCounts & { unproven: Unproven[]; cleared: EndedAlarm[] }) | null> {
  const noted = kind === "automatic" ? sql`sweep.listed` : sql`counted.listed`;
  const { rows } = await sql<SweepCounts & { unproven: Unproven[]; cleared: EndedAlarm[] }>`
    with counted as (
      select count(*) as listed, count(*) filter (where missing) as missing,
        count(*) filter (where opened) as opened,
        count(*) filter (where called) as called
      from swept_payment where sweep_id = ${id}),
    moved as (
      update sweep set state = 'done', finished_at = clock_timestamp(), lease_token = null,
        claimed_until = null,
        faults = 0, last_error = null, listed = ${noted}, missing = counted.missing, opened = counted.opened,
        called = counted.called
      from counted
      where id = ${id} and lease_token = ${leaseToken} and state = 'claimed'
      returning sweep.listed, sweep.missing, sweep.opened, sweep.called, unproven),
    ${alarmsOf(alarms)}
    select moved.*, ${CLEARED} from moved`.execute(db);
  return rows[0] ?? null;
}

/** Other back-fills of the source that are under way. */
export async function backFillsUnderWay(
  db: Kysely<Tables>,
  source: string,
): Promise<{ collectionId: string; from: Date; to: Date }[]> {
  const rows = await db
    .selectFrom("sweep")
    .select(["collection_id as collectionId", "window_from as from", "window_to as to"])
    .where("source", "=", source)
    .where("kind", "=", "back_fill")
    .where("state", "=", "claimed")
    .where("claimed_until", ">", sql<Date>`clock_timestamp()`)
    .execute();
  return rows.flatMap(({ from, to, ...one }) => (from === null || to === null ? [] : [{ ...one, from, to }]));
}

/**
 * Gives the sweep back, to go on where it stands in `dueInMs`; `isFault` counts it as one more fault in a
 * row, and `raises` is what that tells of it (G13).
 * @returns whether the lease still held; if not, nothing was written.
 */
export async function giveBackSweep(
  db: Kysely<Tables>,
  { id, leaseToken }: ClaimedSweep,
  given: { dueInMs: number; isFault: boolean; error: string | null; raises?: readonly Alarm[] },
): Promise<boolean> {
  const { dueInMs, isFault, error, raises = [] } = given;
  const { rows } = await sql`
    with moved as (
      update sweep set state = 'due', lease_token = null, claimed_until = null,
        faults = faults + ${isFault ? 1 : 0},
        last_error = coalesce(${error}, last_error),
        due_at = clock_timestamp() + ${dueInMs}::float8 * interval '1 ms'
      where id = ${id} and lease_token = ${leaseToken} and state = 'claimed'
      returning 1),
    ${alarmsOf({ raises })}
    select from moved`.execute(db);
  return rows.length > 0;
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
  where done.source = ${source} and done.collection_id = ${collectionId} and done.kind = 'automatic'
    and done.state = 'done'`;

/** Of the collection's last automatic sweep. */
const last = (what: RawBuilder<unknown>) => sql`
  select ${what} from sweep as done
  where done.source = sweep.source and done.collection_id = sweep.collection_id and done.kind = 'automatic'
    and done.state = 'done'
  order by started_at desc limit 1`;
