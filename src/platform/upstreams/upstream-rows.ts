import { type RawBuilder, sql } from "kysely";
import {
  command,
  type Database,
  hasTable,
  interval,
  nullable,
  query,
  returned,
  type Slots,
  Statement,
  typed,
} from "../database/index.ts";
import type { Allowance, Buckets } from "./allowance.ts";
import { readUpstreamRow, type VersionedUpstream } from "./change.ts";
import { stateOf } from "./machine.ts";
import {
  SOURCE,
  sourceIsFlooded,
  sourceIsHealthy,
  sourceIsOpen,
  TOPIC,
  topicIsHealthy,
  topicIsOpen,
} from "./upstream-kind.ts";

const insertSources = command(
  (names: readonly string[]) => sql`
    insert into source (name, first_served_at)
    select name, clock_timestamp() from unnest(${names}::text[]) as given (name) order by name
    on conflict (name) do update set first_served_at = excluded.first_served_at
    where source.first_served_at is null`,
);
const insertTopics = command(
  (arns: readonly string[]) => sql`
    insert into topic (arn) select arn from unnest(${arns}::text[]) as given (arn) order by arn
    on conflict do nothing`,
);

/** Makes the rows that sources and topics keep their state in; `first_served_at` is set once and stays. */
export async function registerUpstreams(
  db: Database,
  { sources, topics }: { sources: readonly string[]; topics: readonly string[] },
): Promise<void> {
  await insertSources(db, sources);
  await insertTopics(db, topics);
}

const selectBuckets = query((db, name: string) => {
  const msBetween = (first: RawBuilder<unknown>, second: RawBuilder<unknown>) =>
    typed(returned.float, sql`extract(epoch from ${second} - ${first}) * 1000`);
  return db
    .selectFrom("source")
    .select([
      "allowance",
      msBetween(sql`allowance_at`, sql`clock_timestamp()`).as("allowanceAgeMs"),
      sourceIsFlooded.as("isFlooded"),
      msBetween(sql`clock_timestamp()`, sql`next_unknown_at`).as("nextUnknownInMs"),
    ])
    .where("name", "=", name);
});

/** @throws Error when there is no such row: `serve` makes it when it starts. */
export async function readSource(db: Database, name: string): Promise<VersionedUpstream & Buckets> {
  const upstream = await readUpstreamRow(db, SOURCE, name);
  const buckets = await selectBuckets(db, name).executeTakeFirst();
  if (upstream === null || buckets === undefined)
    throw new Error(`The source "${name}" has no row: it is made when serve starts`);
  return { ...upstream, ...buckets };
}

/** Part of a claim. The commit need not wait for the disk: a claim lost in a crash claims nothing. */
export const whenSourceIsHealthy = (name: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select name from source
  where name = ${name} and ${sourceIsHealthy} and set_config('synchronous_commit', 'off', true) is not null`;

export interface Budget {
  source: string;
  /** Of the row that the allowance was reckoned from. */
  version: number;
  allowance: Allowance;
  limited: boolean;
}

/** Part of a claim: yields a row unless the source has changed since its allowance was reckoned. */
export const whenSourceIsUnchanged = <Given extends Budget>({ value }: Slots<Given>) => sql`
  select name from source
  where name = ${value(({ source }) => source)} and version = ${value(({ version }) => version)}
    and set_config('synchronous_commit', 'off', true) is not null
  for update`;

/** Part of the same claim: takes what was `claimed`, rows with a priority, out of what the source allows. */
export const spendAllowance = <Given extends Budget>({ value }: Slots<Given>) => sql`
  update source set version = version + 1,
    allowance = ${value(({ allowance }) => allowance.bucket)}::float8
      - case when ${value(({ limited }) => limited)}::boolean then spent.total else 0 end,
    allowance_at = clock_timestamp(),
    next_unknown_at = greatest(next_unknown_at, clock_timestamp()
      + spent.unknown * ${value(({ allowance }) => allowance.unknownGapMs)}::float8 * interval '1 ms'),
    opens_at = case when ${value(({ allowance }) => allowance.trial)}::boolean
      then clock_timestamp() + ${sql.lit(`${SOURCE.policy.trialMs} ms`)}::interval else opens_at end
  from (select count(*) as total, count(*) filter (where priority = 'unknown') as unknown
    from claimed) as spent
  where name = ${value(({ source }) => source)} and spent.total > 0`;

/** Whether it fails, refuses the key or is paused; alarms of its own report that. */
export async function sourceIsInTrouble(db: Database, name: string): Promise<boolean> {
  const upstream = await readUpstreamRow(db, SOURCE, name);
  return upstream !== null && stateOf(upstream, SOURCE.policy) !== "closed";
}

/** Reading lists is at most this share of a source's rate, so that it does not delay live confirmations. */
const LIST_SHARE = 1 / 4;

/** The time from one call that reads a list to the next, in ms. */
const listGapMs = (ratePerSecond: number): number => 1_000 / (ratePerSecond * LIST_SHARE);

interface Turn {
  granted: boolean;
  /** How long until it may be granted, so far as others are the reason; in ms. */
  nextInMs: number;
  upstream: VersionedUpstream | null;
}

const updateTurn = command((source: string, ratePerSecond: number) => {
  const gap = interval(listGapMs(ratePerSecond));
  const refilled = sql`least(${Math.max(1, ratePerSecond / 5)}::float8,
    allowance + greatest(0, extract(epoch
      from clock_timestamp() - allowance_at)) * ${ratePerSecond}::float8)`;
  return sql`
    update source set version = version + 1, allowance = ${refilled} - 1, allowance_at = clock_timestamp(),
      list_at = clock_timestamp() + ${gap}
    where name = ${source} and ${sourceIsOpen} and ${refilled} >= 0
      and list_at <= clock_timestamp()`;
});

/** How long a reader waits at least before it tries again, in ms. */
const TURN_WAITS_MS = 100;

/**
 * Grants leave to read one page of the provider's list. All readers in all processes together get a share of the
 * rate. It comes out of the same bucket as confirmations, and may leave that below zero, by one at most: confirming
 * leaves less than one in it, and would otherwise starve the list.
 * @param ratePerSecond null for no limit.
 */
export async function takeTurn(db: Database, source: string, ratePerSecond: number | null): Promise<Turn> {
  const upstream = await readUpstreamRow(db, SOURCE, source);
  // A source that was never served has no row, and so neither state nor bucket.
  if (upstream === null) return { granted: true, nextInMs: 0, upstream };
  const isOpen = upstream.pausedBy === null && upstream.opensInMs <= 0;
  if (!isOpen || ratePerSecond === null) return { granted: isOpen, nextInMs: 0, upstream };
  if ((await updateTurn(db, source, ratePerSecond)) > 0) return { granted: true, nextInMs: 0, upstream };
  const [list] = await selectNextList.execute(db, source);
  return { granted: false, nextInMs: Math.max(TURN_WAITS_MS, list?.inMs ?? 0), upstream };
}

const selectNextList = new Statement(
  { inMs: returned.float },
  ({ value }: Slots<string>) => sql`
    select greatest(0, extract(epoch from list_at - clock_timestamp()) * 1000)::float8 as "inMs"
    from source where name = ${value((source) => source)}`,
);

/** When the source of that name was first served; null before that. A scalar expression. */
export const firstServedAt = (name: RawBuilder<unknown>): RawBuilder<Date | null> =>
  sql`(select source.first_served_at from source where source.name = ${name})`;

/** A condition: the source of that name was served, and requests may go to it now. */
export const isServedAndOpen = (name: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  exists (select from source where source.name = ${name} and source.first_served_at is not null
    and ${sourceIsOpen})`;

const selectClock = new Statement(
  { now: returned.time, servedAt: nullable(returned.time) },
  ({ value }: Slots<string>) =>
    sql`select clock_timestamp() as now, ${firstServedAt(value((source) => source))} as "servedAt"`,
);

/** Postgres' time, and when the source was first served. */
export async function readClock(db: Database, source: string): Promise<{ now: Date; servedAt: Date | null }> {
  const [row] = await selectClock.execute(db, source);
  if (row === undefined) throw new Error("Postgres did not tell its time");
  return row;
}

const selectFirstServed = query((db) =>
  db.selectFrom("source").select(["name as source", "first_served_at as at"]).orderBy("name"),
);

/** Every source that is known, and when it was first served; null before that. */
export const listFirstServed = (db: Database): Promise<{ source: string; at: Date | null }[]> =>
  selectFirstServed(db).execute();

interface TopicClaim {
  route: { topicArn: string };
  wanted: number;
}

/** Part of a claim: yields how many events the topic takes while it is healthy. */
export const whenTopicIsHealthy = <Given extends TopicClaim>({
  value,
}: Slots<Given>): RawBuilder<unknown> => sql`
  select ${value(({ wanted }) => wanted)}::bigint as wanted from topic
  where arn = ${value(({ route }) => route.topicArn)} and ${topicIsHealthy}
    and set_config('synchronous_commit', 'off', true) is not null`;

export interface TopicTrial extends TopicClaim {
  /** Of the row that admitted them. */
  version: number;
  /** They try whether the topic works again. */
  trial: boolean;
}

/** Part of a claim: yields a row unless the topic has changed since it admitted a trial. */
export const whenTopicIsUnchanged = <Given extends TopicTrial>({
  value,
}: Slots<Given>): RawBuilder<unknown> => sql`
  select ${value(({ wanted }) => wanted)}::bigint as wanted from topic
  where arn = ${value(({ route }) => route.topicArn)} and version = ${value(({ version }) => version)}
    and set_config('synchronous_commit', 'off', true) is not null
  for update`;

const trialTime = sql.lit(`${TOPIC.policy.trialMs} ms`);
const { firstMs, capMs } = TOPIC.policy.probe;

/** Part of the same claim: the `claimed` work alone tries the topic. */
export const beginTrial = <Given extends TopicTrial>({ value }: Slots<Given>): RawBuilder<unknown> => sql`
  update topic set version = version + 1,
    opens_at = case when ${value(({ trial }) => trial)}::boolean and paused_by is null
      then clock_timestamp() + ${trialTime}::interval else opens_at end,
    probe_at = case when paused_by is not null
      then clock_timestamp() + least(${sql.lit(`${capMs} ms`)}::interval,
        greatest(${sql.lit(`${firstMs} ms`)}::interval, clock_timestamp() - paused_at)) end
  where arn = ${value(({ route }) => route.topicArn)} and exists (select from claimed)`;

/** A condition: a topic is open and one of ours, or no relay's own, so that nothing is known of it. */
export const topicTakesReplays = (arn: RawBuilder<unknown>, ours: RawBuilder<unknown>) => sql<boolean>`
  coalesce((select topic.arn = any(${ours}::text[]) and ${topicIsOpen} from topic where topic.arn = ${arn}), true)`;

const selectTopics = query((db) => db.selectFrom("topic").select("arn"));

/** The topics that a relay ever published to with this database; none before it is migrated. */
export async function knownTopics(db: Database): Promise<string[]> {
  if (!(await hasTable(db, "topic"))) return [];
  return (await selectTopics(db).execute()).map(({ arn }) => arn);
}
