import { type RawBuilder, sql } from "kysely";
import {
  type ConfirmationState,
  countUndeliveredConfirmations,
  type Verdict,
} from "../pipeline/confirm/index.ts";
import { countDeadEvents, isLive } from "../pipeline/publish/index.ts";
import { readDailyCertificates, readSweeps, readUnprovenDays } from "../pipeline/reconcile/index.ts";
import {
  type AlarmName,
  type Alarms,
  alarmsAbout,
  countOpenAlarms,
  listAlarms,
  noteLasting,
  severityOf,
} from "../platform/alarms/index.ts";
import {
  type Database,
  databaseTime,
  inSnapshot,
  nullable,
  query,
  returned,
  Statement,
} from "../platform/database/index.ts";
import {
  listFirstServed,
  listUpstreams,
  SOURCE,
  TOPIC,
  type UpstreamKind,
} from "../platform/upstreams/index.ts";
import { spanText } from "../platform/values/index.ts";

/** A wait of this length raises an alarm, even if another alarm explains it. */
const LONG_SECONDS = 600;

/** Work that is overdue by more than this, in s, has no worker or too few. */
const STUCK_SECONDS = 60;

/** The start of each row's wait, and whether it is unexplained: then its age alone raises the alarm. */
const waitingIn = (rows: RawBuilder<unknown>) => {
  const secondsOf = (since: RawBuilder<unknown>) =>
    sql`greatest(extract(epoch from clock_timestamp() - ${since}), 0)::float8`;
  return new Statement(
    {
      source: returned.text(),
      count: returned.count,
      oldestSeconds: returned.float,
      unexplained: returned.count,
      unexplainedSeconds: returned.float,
    },
    () => sql`
      select source, count(*) as count, ${secondsOf(sql`min(since)`)} as "oldestSeconds",
        count(*) filter (where unexplained) as unexplained,
        ${secondsOf(sql`min(since) filter (where unexplained)`)} as "unexplainedSeconds"
      from (${rows}) as waiting group by source order by source`,
  );
};

// Each state has an index of its own: one condition for several would read all finished rows.
const confirmationsIn = (state: ConfirmationState) =>
  sql`select * from confirmation where state = ${sql.lit(state)}`;
const OPEN_STATES = ["due", "claimed"] as const;

/**
 * A confirmation on a step of the retry schedule waits for its due time, not for the relay. A confirmation that is
 * requested in vain waits for the provider: its own alarm, raised some minutes later, reports it.
 */
const selectWaitingPayments = waitingIn(sql`
  select one.source, since, alarm.id is null and (one.faults = 0 or one.due_at < now() - interval '1 minute'
    or since < now() - ${sql.lit(LONG_SECONDS)} * interval '1 s') as unexplained
  from (${sql.join(OPEN_STATES.map(confirmationsIn), sql` union all `)}) as one
  cross join lateral (select coalesce(one.open_since, one.due_at) as since) as waits
  left join alarm on alarm.name = 'invoice_unanswered' and alarm.source = one.source
    and alarm.subject = one.invoice_id::text and alarm.cleared_at is null
  where one.priority <> 'replay'
    and (one.open_since is not null or one.due_at <= now())`);

/** Ages count from the event's creation. An untried event, such as a dead letter just retried, has a minute's time. */
const selectWaitingEvents = waitingIn(sql`
  select outbox.source, event.created_at as since,
    outbox.attempt > 0 or outbox.due_at < now() - interval '1 minute' as unexplained
  from outbox join event on event.source = outbox.source and event.id = outbox.event_id
  where outbox.state in ('due', 'claimed') and ${isLive}`);

/** The live confirmations of each source that no answer covers yet, and its events that are to be sent. */
export const readWaiting = async (db: Database) => ({
  payments: await selectWaitingPayments.execute(db),
  events: await selectWaitingEvents.execute(db),
});
type Waiting = Awaited<ReturnType<typeof readWaiting>>;

const oldest = (waiting: Waiting["payments"]): number =>
  Math.max(0, ...waiting.map(({ oldestSeconds }) => oldestSeconds));

/**
 * The age of the oldest open work, in s, 0 when there is none: since the oldest request that no answer covers yet
 * (replays left out, which give way to live traffic), and since the oldest event that should be published was made.
 */
const agesOf = ({ payments, events }: Waiting) => ({
  oldestConfirmationSeconds: oldest(payments),
  oldestEventSeconds: oldest(events),
});

export const readBacklogAges = async (db: Database) => agesOf(await readWaiting(db));

const countConfirmations = new Statement(
  {
    state: returned.text<ConfirmationState>(),
    verdict: nullable(returned.text<Verdict>()),
    count: returned.count,
  },
  () =>
    sql.join(
      ([...OPEN_STATES, "dead"] as const).map(
        (state) => sql`select state, verdict, count(*) as count from (${confirmationsIn(state)}) as one
          group by state, verdict`,
      ),
      sql` union all `,
    ),
);

const countEvents = query((db) =>
  db
    .selectFrom("outbox")
    .select(({ fn }) => ["state", fn.countAll<number>().as("count")])
    .where(isLive)
    .groupBy("state"),
);

/** How much is open, and for how long; without finished work, which grows without end. */
export const readBacklog = async (db: Database, waiting: Waiting) => ({
  ...agesOf(waiting),
  confirmations: await countConfirmations.execute(db),
  outbox: await countEvents(db).execute(),
});

interface Watched {
  sources: readonly { name: string; collectionIds: readonly string[] }[];
  topics: readonly string[];
}

/** Everything that monitoring reads from Postgres, in one snapshot. */
export const readVitalSigns = (db: Database, watched: Watched) =>
  inSnapshot(db, (snapshot) => readAll(snapshot, watched));

export type VitalSigns = Awaited<ReturnType<typeof readAll>>;

async function readAll(db: Database, watched: Watched) {
  const names = watched.sources.map(({ name }) => name);
  const collections = watched.sources.flatMap(({ name: source, collectionIds }) =>
    collectionIds.map((collectionId) => ({ source, collectionId })),
  );
  const { dead, quarantined } = await countUndeliveredConfirmations(db);
  return {
    backlog: await readBacklog(db, await readWaiting(db)),
    alarms: await countOpenAlarms(db),
    dead: { confirmation: dead, event: await countDeadEvents(db) },
    quarantined,
    sources: (await listUpstreams(db, SOURCE)).filter(({ name }) => names.includes(name)),
    topics: (await listUpstreams(db, TOPIC)).filter(({ name }) => watched.topics.includes(name)),
    sweeps: await readSweeps(db, collections),
    certificates: await readDailyCertificates(db, names),
    firstServed: (await listFirstServed(db)).filter(({ source }) =>
      collections.some((one) => one.source === source),
    ),
    unproven: await readUnprovenDays(db, watched.sources),
  };
}

/** More than there ever are sources and topics. */
const ALL = 10_000;

/**
 * Raises an alarm for each source whose payments have waited for a minute that no other alarm or pause explains, or
 * for ten minutes in any case; closes it once all waits are shorter than a minute. A critical alarm of the source or
 * topic, or an alarm of the invoice, has notified people already.
 */
export async function noteWaiting(db: Database, alarms: Alarms): Promise<void> {
  const { payments, events, open, sources, topics, now } = await inSnapshot(db, async (snapshot) => ({
    ...(await readWaiting(snapshot)),
    open: (await listAlarms(snapshot, { names: [...OF_UPSTREAMS, "payments_waiting"] }, ALL)).items,
    sources: await listUpstreams(snapshot, SOURCE),
    topics: await listUpstreams(snapshot, TOPIC),
    now: await databaseTime(snapshot),
  }));
  const isLate = (
    { source, unexplainedSeconds }: (typeof payments)[number],
    kind: UpstreamKind,
    upstreams: typeof sources,
  ) => {
    const ofUpstream = open.filter(
      (alarm) => OF_UPSTREAMS.includes(alarm.name) && alarm.source === kind.sourceOf(source),
    );
    if (ofUpstream.some((alarm) => tells(alarm, now))) return false;
    const isExplained = ofUpstream.length > 0 || upstreams.some(({ state }) => state === "paused");
    // An open alarm stays, though faults come and go.
    const isOpen = open.some(({ name, subject }) => name === "payments_waiting" && subject === source);
    return unexplainedSeconds >= (isExplained && !isOpen ? LONG_SECONDS : STUCK_SECONDS);
  };
  const late = [
    ...payments
      .filter((one) =>
        isLate(
          one,
          SOURCE,
          sources.filter(({ name }) => name === one.source),
        ),
      )
      .map((one) => ({ ...one, what: "for an answer of the provider" })),
    ...events
      .filter((one) => isLate(one, TOPIC, topics))
      .map((one) => ({ ...one, what: "to be sent to SNS" })),
  ];
  const lasting = [...Map.groupBy(late, ({ source }) => source)].map(([source, waits]) => ({
    ...{ source, subject: source },
    detail: `Payments of source ${source} wait: ${waits
      .map((one) => `${one.what}, for ${spanText(one.unexplainedSeconds * 1_000)}`)
      .join(", and ")}.`,
  }));
  await noteLasting({ db, alarms }, "payments_waiting", lasting);
}

const OF_UPSTREAMS = alarmsAbout("upstream");

const tells = ({ name, raisedAt }: { name: AlarmName; raisedAt: Date }, now: Date): boolean =>
  name === "unknown_ids_flooding" || severityOf(name, raisedAt, now) === "critical";
