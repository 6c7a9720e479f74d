import { type Kysely, type RawBuilder, sql } from "kysely";
import { type AlarmChange, alarmsGiven, CLEARED, selectCleared } from "../../alarms/alarms.ts";
import { interval, isTooFarAhead } from "../../database/moments.ts";
import { type ResultOf, type RowOf, returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import { clockTime } from "../../database/typed.ts";
import { newId } from "../../kit/new-id.ts";
import { namelessCallbackSince } from "../../receive/log/callbacks-about.ts";
import { LeasedRows } from "../../work/leased-rows.ts";
import { givingBack } from "../give-back.ts";
import type { ListPeriod } from "../list/list-period.ts";
import type { Unproven } from "../list/list-reader.ts";
import type { ClaimedSweep } from "./claim-sweep.ts";

// The statements on `sweep`: due → claimed → done, and back to due after a fault, a pause or a dead worker.
// claim-sweep.ts has the claims.

export const sweepLeases = new LeasedRows("sweep", "id");

const COUNTS = {
  /** Paid invoices that the list showed in the window. */
  listed: returned.integer,
  /** Paid invoices without an event. */
  missing: returned.integer,
  /** The missing ones whose confirmation this sweep opened, and those that the list calls something new. */
  opened: returned.integer,
  /** The missing ones that a callback had asked about already. */
  called: returned.integer,
};

export type SweepCounts = RowOf<typeof COUNTS>;

/** The least time between sweeps that callbacks without an id bring forward. */
const HURRY = sql`interval '1 minute'`;

/** Creates the next automatic sweep of each collection, due one interval after the last one started. */
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

/** The longest back-off of a sweep; and how long until a paused source is checked again, in ms. */
export const SWEEP_BACK_OFF = { firstMs: 1_000, capMs: 300_000 };
export const PAUSED_MS = 5_000;

/** Sweeps that wait for longer than an interval, or than a back-off after faults, are due at once (G11). */
export const bringForwardSweeps = (db: Kysely<Tables>, intervalMs: number): Promise<number> =>
  sweepLeases.bringForward(
    db,
    isTooFarAhead(
      sql`due_at`,
      sql`case faults when 0 then ${interval(Math.max(intervalMs, PAUSED_MS))}
        else ${interval(SWEEP_BACK_OFF.capMs)} end`,
    ),
  );

/**
 * Those that ran before Postgres' clock stepped back are moved back with it, the last one to now: the next
 * one goes on from it.
 */
export async function moveSweepsBack(db: Kysely<Tables>): Promise<void> {
  await sql`
    update sweep set started_at = started_at - ahead.by, finished_at = finished_at - ahead.by,
      window_to = case kind when 'automatic' then window_to - ahead.by else window_to end
    from (select max(started_at) - now() as by from sweep) as ahead
    where started_at > now()`.execute(db);
}

/** Brings sweeps forward after a callback that named no invoice: the list will have the payment. */
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

/**
 * Saves the progress of a sweep: `rest` is what is left of the list.
 * @returns whether the lease was still held; if not, nothing was written.
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

interface Finishing {
  id: string;
  leaseToken: string;
  alarms: AlarmChange;
}

// An automatic sweep stores only the missing payments, so it has counted the listed ones while reading.
const finishing = new Statement(
  { ...COUNTS, unproven: returned.json<Unproven[]>(), ...CLEARED },
  (slots: Slots<Finishing>) => {
    const id = slots.value((given) => given.id);
    return sql`
      with counted as (
        select count(*) as listed, count(*) filter (where missing) as missing,
          count(*) filter (where opened) as opened,
          count(*) filter (where called) as called
        from swept_payment where sweep_id = ${id}),
      moved as (
        update sweep set state = 'done', finished_at = clock_timestamp(), lease_token = null,
          claimed_until = null, faults = 0, last_error = null,
          listed = case kind when 'automatic' then sweep.listed else counted.listed end,
          missing = counted.missing, opened = counted.opened, called = counted.called
        from counted
        where id = ${id} and lease_token = ${slots.value(({ leaseToken }) => leaseToken)}
          and state = 'claimed'
        returning sweep.listed, sweep.missing, sweep.opened, sweep.called, unproven),
      ${alarmsGiven(slots, ({ alarms }) => alarms)}
      select moved.*, ${selectCleared} from moved`;
  },
);

/**
 * Finishes a sweep together with the alarms that this raises or ends (G13).
 * @returns the counts of the whole sweep, including interrupted runs; null when the lease is lost.
 */
export async function finishSweep(
  db: Kysely<Tables>,
  { id, leaseToken }: ClaimedSweep,
  alarms: AlarmChange,
): Promise<ResultOf<typeof finishing> | null> {
  const [row] = await finishing.execute(db, { id, leaseToken, alarms });
  return row ?? null;
}

/** The running back-fills of the source. */
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
    .where("claimed_until", ">", clockTime)
    .execute();
  return rows.flatMap(({ from, to, ...one }) => (from === null || to === null ? [] : [{ ...one, from, to }]));
}

export const giveBackSweep = givingBack("sweep");

const lastStart = (collectionId: RawBuilder<unknown>, source: string) => sql`
  select max(done.started_at) from sweep as done
  where done.source = ${source} and done.collection_id = ${collectionId} and done.kind = 'automatic'
    and done.state = 'done'`;
