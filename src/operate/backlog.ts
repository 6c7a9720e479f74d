import { type Kysely, sql } from "kysely";
import type { AlarmName } from "../alarms/alarms.ts";
import { countOpenAlarms } from "../alarms/list-alarms.ts";
import type { ConfirmationState, Verdict } from "../confirm/queue/confirmation.ts";
import { countUndeliveredConfirmations } from "../confirm/queue/read-confirmations.ts";
import { nullable, type ResultOf, type RowOf, returned, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { inSnapshot } from "../database/transactions.ts";
import type { OutboxState } from "../publish/event.ts";
import { countDeadEvents } from "../publish/outbox.ts";
import {
  type DailyCertificate,
  readDailyCertificates,
  readSweeps,
  type SweepState,
} from "../reconcile/last-runs.ts";
import { readUnprovenDays, type UnprovenDays } from "../reconcile/unproven-days.ts";
import { type ListedUpstream, listUpstreams } from "../upstreams/change.ts";
import { SOURCE, TOPIC } from "../upstreams/upstream-kind.ts";

/** The age of the oldest open work, in s; 0 when there is none. */
export interface BacklogAges {
  /** Since the oldest request that no answer covers yet; replays left out, which give way to live traffic. */
  oldestConfirmationSeconds: number;
  /** Since the oldest event that should be published was made. */
  oldestEventSeconds: number;
}

/** How much is open, and for how long. */
export interface Backlog extends BacklogAges {
  confirmations: ResultOf<typeof countConfirmations>[];
  outbox: { state: OutboxState; count: number }[];
}

const WAITING = {
  source: returned.text(),
  count: returned.count,
  /** Since the oldest request that no answer covers yet, in s. */
  oldestSeconds: returned.float,
};

/** The live confirmations of one source that no answer covers yet. */
export type WaitingSource = RowOf<typeof WAITING>;

/** One on a step of the ladder waits for its time, not for the relay; until its time has come. */
const selectWaiting = new Statement(
  WAITING,
  () => sql`
    select source, count(*) as count,
      greatest(extract(epoch from clock_timestamp() - min(coalesce(open_since, due_at))), 0)::float8
        as "oldestSeconds"
    from confirmation
    where state in ('due', 'claimed') and priority <> 'replay' and (open_since is not null or due_at <= now())
    group by source order by source`,
);

export const readWaiting = (db: Kysely<Tables>) => selectWaiting.execute(db);

const WAITING_EVENTS = {
  source: returned.text(),
  count: returned.count,
  /** Since the oldest was made, in s. */
  oldestSeconds: returned.float,
};

/** The events of one source that are to be sent. */
export type WaitingEvents = RowOf<typeof WAITING_EVENTS>;

const selectWaitingEvents = new Statement(
  WAITING_EVENTS,
  () => sql`
    select source, count(*) as count,
      greatest(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as "oldestSeconds"
    from (select outbox.source, event.created_at from outbox
        join event on event.source = outbox.source and event.id = outbox.event_id
      where outbox.state in ('due', 'claimed')) as unsent
    group by source order by source`,
);

export const readWaitingEvents = (db: Kysely<Tables>) => selectWaitingEvents.execute(db);

const oldest = (waiting: readonly { oldestSeconds: number }[]): number =>
  Math.max(0, ...waiting.map(({ oldestSeconds }) => oldestSeconds));

export async function readBacklogAges(db: Kysely<Tables>): Promise<BacklogAges> {
  return {
    oldestConfirmationSeconds: oldest(await readWaiting(db)),
    oldestEventSeconds: oldest(await readWaitingEvents(db)),
  };
}

// One query for each state, to match the indexes.
const countConfirmations = new Statement(
  {
    state: returned.text<ConfirmationState>(),
    verdict: nullable(returned.text<Verdict>()),
    count: returned.count,
  },
  () =>
    sql.join(
      (["due", "claimed", "dead"] as const).map(
        (state) => sql`select state, verdict, count(*) as count from confirmation
          where state = ${sql.lit(state)} group by state, verdict`,
      ),
      sql` union all `,
    ),
);

/** Without finished work, which grows without end. */
export async function readBacklog(db: Kysely<Tables>): Promise<Backlog> {
  const confirmations = await countConfirmations.execute(db);
  return { ...(await readBacklogAges(db)), confirmations, outbox: await countOutbox(db) };
}

const countOutbox = (db: Kysely<Tables>): Promise<Backlog["outbox"]> =>
  db
    .selectFrom("outbox")
    .select(({ fn }) => ["state", fn.countAll<number>().as("count")])
    .groupBy("state")
    .execute();

/** The sources and topics in the settings of this process, for which it reports. */
export interface Watched {
  sources: readonly { name: string; collectionIds: readonly string[] }[];
  topics: readonly string[];
}

/** Everything that monitoring reads from Postgres. */
export interface VitalSigns {
  backlog: Backlog;
  alarms: { name: AlarmName; count: number }[];
  dead: { confirmation: number; event: number };
  quarantined: number;
  sources: ListedUpstream[];
  topics: ListedUpstream[];
  sweeps: SweepState[];
  certificates: DailyCertificate[];
  unproven: UnprovenDays[];
}

/** Read in one snapshot. */
export const readVitalSigns = (db: Kysely<Tables>, watched: Watched): Promise<VitalSigns> =>
  inSnapshot(db, (snapshot) => readAll(snapshot, watched));

async function readAll(db: Kysely<Tables>, watched: Watched): Promise<VitalSigns> {
  const names = watched.sources.map(({ name }) => name);
  const collections = watched.sources.flatMap(({ name: source, collectionIds }) =>
    collectionIds.map((collectionId) => ({ source, collectionId })),
  );
  const { dead, quarantined } = await countUndeliveredConfirmations(db);
  return {
    backlog: await readBacklog(db),
    alarms: await countOpenAlarms(db),
    dead: { confirmation: dead, event: await countDeadEvents(db) },
    quarantined,
    sources: (await listUpstreams(db, SOURCE)).filter(({ name }) => names.includes(name)),
    topics: (await listUpstreams(db, TOPIC)).filter(({ name }) => watched.topics.includes(name)),
    sweeps: await readSweeps(db, collections),
    certificates: await readDailyCertificates(db, names),
    unproven: await readUnprovenDays(db, watched.sources),
  };
}
