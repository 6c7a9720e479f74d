import { type RawBuilder, sql } from "kysely";
import {
  type Alarm,
  type AlarmChange,
  alarmsGiven,
  CLEARED,
  selectCleared,
} from "../../../platform/alarms/index.ts";
import {
  command,
  type Database,
  nullable,
  type ResultOf,
  type RowOf,
  returned,
  type Slots,
  Statement,
} from "../../../platform/database/index.ts";
import { firstServedAt, isServedAndOpen } from "../../../platform/upstreams/index.ts";
import { newId, sentence } from "../../../platform/values/index.ts";
import { describeUnproven, type Unproven } from "../list/list-reader.ts";
import {
  ALARMING_FAULTS,
  type ClaimedRun,
  finishedAt,
  isStillLeased,
  type Leased,
  ListRuns,
  mustBeLeased,
} from "../list-runs.ts";

// The statements on `sweep`.

/** A column of the collection's last automatic sweep. */
const last = (what: RawBuilder<unknown>) => sql`
  select ${what} from sweep as done
  where done.source = sweep.source and done.collection_id = sweep.collection_id and done.state = 'done'
  order by started_at desc limit 1`;

const served = firstServedAt(sql`sweep.source`);

const CLAIMED = {
  source: returned.text(),
  collectionId: returned.uuid,
  /** When it was first claimed. */
  startedAt: returned.time,
  /** A sweep of its collection has ended before. */
  hasEarlier: returned.boolean,
  /** Payments listed since then are still to be decided, from the invoice after the other on. */
  decidedSince: nullable(returned.text()),
  decidedTo: nullable(returned.uuid),
  firstServedAt: nullable(returned.time),
};

export type ClaimedSweep = ClaimedRun & RowOf<typeof CLAIMED>;

export const sweeps = new ListRuns(
  "sweep",
  CLAIMED,
  sql`source, collection_id as "collectionId", started_at as "startedAt",
    coalesce((${last(sql`true`)}), false) as "hasEarlier",
    coalesce(decided_since, (${last(sql`decided_since`)}))::text as "decidedSince",
    decided_to as "decidedTo", ${served} as "firstServedAt"`,
);

/** How much windows overlap, for payments that the list shows late. */
const OVERLAP = sql`interval '1 day'`;

/** Claims a due sweep, unless the source is paused, backing off or was never served. */
export const claimDueSweep = sweeps.claiming(
  ({ value }: Slots<{ source: string; collectionIds: readonly string[] }>) => sql`
    select id from sweep
    where source = ${value(({ source }) => source)} and state = 'due' and due_at <= clock_timestamp()
      and collection_id = any(${value(({ collectionIds }) => collectionIds)}::uuid[])
      and ${isServedAndOpen(sql`sweep.source`)}
    order by due_at limit 1 for update skip locked`,
  () => sql`
    started_at = coalesce(started_at, clock_timestamp()),
    window_to = coalesce(window_to, clock_timestamp()),
    window_from = coalesce(window_from, greatest(${served}, (${last(sql`window_to - ${OVERLAP}`)})))`,
);

/**
 * The sources of which a sweep can be claimed, or is to be scheduled.
 * @param lists yields source and collection_id.
 */
export const sourcesToSweep = (lists: RawBuilder<unknown>): RawBuilder<unknown> => {
  const ofList = sql`
    select from sweep where sweep.source = list.source and sweep.collection_id = list.collection_id
      and state`;
  return sql`
    select source from ${lists} where not exists (${ofList} <> 'done')
      or exists (${ofList} = 'due' and due_at <= clock_timestamp() and ${isServedAndOpen(sql`sweep.source`)})`;
};

/** Creates the next sweep of each collection, due one interval after the last one started. */
export const scheduleSweeps = command(
  (source: string, collectionIds: readonly string[], intervalMs: number) => sql`
    insert into sweep (id, source, collection_id, due_at)
    select id, source, collection_id,
      coalesce((${last(sql`started_at`)}) + ${intervalMs}::float8 * interval '1 ms', clock_timestamp())
    from (select id, ${source}::text as source, collection_id
      from unnest(${collectionIds.map(() => newId())}::uuid[], ${collectionIds}::uuid[])
        as given (id, collection_id)) as sweep
    on conflict do nothing`,
  "",
  [],
);

/** The longest back-off of a sweep; and how long until a paused source is checked again, in ms. */
export const SWEEP_BACK_OFF = { firstMs: 1_000, capMs: 60_000 };
export const PAUSED_MS = 5_000;

/** Notes that all payments listed before a moment were decided. @throws LeaseLost */
export const saveDecided = sweeps.saving(
  ({ value }: Slots<{ since: string }>) => sql`
    decided_since = ${value(({ since }) => since)}, decided_to = null`,
);

const COUNTS = {
  /** Paid invoices that the list shows. */
  listed: returned.integer,
  /** Paid invoices without an event. */
  missing: returned.integer,
  /** Payments whose confirmation or event this sweep queued, of any date. */
  opened: returned.integer,
};

export type SweepCounts = RowOf<typeof COUNTS>;

/** Counts the payments decided up to an invoice, in the transaction that opened it. @throws LeaseLost */
export const countDecided = sweeps.saving(
  ({ value }: Slots<SweepCounts & { decidedTo: string }>) => sql`
    decided_to = ${value(({ decidedTo }) => decidedTo)}, listed = listed + ${value(({ listed }) => listed)},
    missing = missing + ${value(({ missing }) => missing)}, opened = opened + ${value(({ opened }) => opened)}`,
);

const updateFinished = new Statement(
  { ...COUNTS, ...CLEARED },
  (slots: Slots<Leased & { alarms: AlarmChange }>) => sql`
    with moved as (
      update sweep set ${finishedAt}, faults = 0
      where ${isStillLeased(slots)}
      returning sweep.listed, sweep.missing, sweep.opened),
    ${alarmsGiven(slots, ({ alarms }) => alarms)}
    select moved.*, ${selectCleared} from moved`,
);

/**
 * Finishes a sweep together with the alarms that this raises or ends (G13).
 * @returns the counts of the whole sweep, including interrupted runs. @throws LeaseLost
 */
export const finishSweep = async (
  db: Database,
  { id, leaseToken }: ClaimedSweep,
  alarms: AlarmChange,
): Promise<ResultOf<typeof updateFinished>> =>
  mustBeLeased(await updateFinished.execute(db, { id, leaseToken, alarms }));

const NAMED = 3;

const about = ({ source, collectionId }: ClaimedSweep) =>
  ({ name: "sweep_failing", source, subject: collectionId }) as const;

export function alarmsAtEnd(sweep: ClaimedSweep, unproven: readonly Unproven[]): AlarmChange {
  if (unproven.length === 0) return { clears: [about(sweep)] };
  const days = unproven.slice(0, NAMED).map(describeUnproven);
  const more = unproven.length > NAMED ? ` and ${unproven.length - NAMED} more` : "";
  const detail =
    `The provider's list of this collection cannot be shown to be whole: ${days.join("; ")}${more}. The ` +
    "payments that it showed were used; any that it hides wait. The next sweep reads it again.";
  return { raises: [{ ...about(sweep), detail }] };
}

/** The alarm of repeated faults; a first fault raises no alarm. */
export const alarmsAtFault = (sweep: ClaimedSweep, faults: number, error: string): Alarm[] =>
  faults < ALARMING_FAULTS ? [] : [{ ...about(sweep), detail: unreadWords(error) }];

/** Without a count, so that the text stays the same from try to try. */
const unreadWords = (error: string): string =>
  `The provider's list could not be read: ${sentence(error)} Payments that callbacks missed there ` +
  "wait. The sweep is retried automatically.";
