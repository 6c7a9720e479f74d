import { type Expression, type RawBuilder, sql } from "kysely";
import {
  type Columns,
  command,
  type Database,
  returned,
  type Slots,
  Statement,
  tableOf,
  text,
} from "../database/index.ts";
import type { Logger } from "../log/index.ts";
import type { Metrics } from "../metrics/index.ts";
import { ALARM_NAMES, ALARMS, type AlarmName } from "./alarm-definitions.ts";

export type { AlarmName } from "./alarm-definitions.ts";

const QUIET = ALARM_NAMES.map((name) => ({ name, after: ALARMS[name].quietAfter })).filter(
  ({ after }) => after !== undefined,
);
const QUIET_NAMES = QUIET.map(({ name }) => name);

export interface Alarm {
  name: AlarmName;
  source: string;
  /** Its subject: an invoice id, a topic, or the source again. */
  subject: string;
  /** Plain words for a person; no secrets, no personal data. */
  detail: string;
}

export const ALARM: Columns<Alarm> = {
  name: text(({ name }) => name),
  source: text(({ source }) => source),
  subject: text(({ subject }) => subject),
  detail: text(({ detail }) => detail),
};

export type EndedAlarm = Omit<Alarm, "detail">;

export const ENDED_ALARM: Columns<EndedAlarm> = {
  name: text(({ name }) => name),
  source: text(({ source }) => source),
  subject: text(({ subject }) => subject),
};

/** The columns of `returning name, source, subject`, of alarms. */
export const ENDED_ALARMS = {
  name: returned.text<AlarmName>(),
  source: returned.text(),
  subject: returned.text(),
} as const;

/**
 * Part of a statement, never run on its own: an alarm is written with the change that it reports (G13), or
 * not at all.
 */
type StatementPart = Expression<unknown>;

/**
 * Writes alarms. Raised again while open, an alarm counts in the same row.
 * @param alarms yields name, source, subject and detail.
 */
export const raiseAlarms = (alarms: RawBuilder<unknown>): StatementPart => sql`
  insert into alarm (name, source, subject, detail)
  select distinct on (name, source, subject) name, source, subject, detail from (${alarms}) as raised
  order by name, source, subject
  on conflict (name, source, subject) where cleared_at is null do update
    set times = alarm.times + 1, last_raised_at = clock_timestamp(), detail = excluded.detail`;

/**
 * Writes alarms about something that lasts and is seen again and again: an open one is touched at most once
 * in `everyMs`, so that a flood does not queue for its row.
 */
export const raiseLasting = (alarms: RawBuilder<unknown>, everyMs: number): StatementPart =>
  raiseAlarms(sql`
    select * from (${alarms}) as seen where not exists (
      select from alarm where cleared_at is null
        and last_raised_at > clock_timestamp() - ${`${everyMs} ms`}::interval
        and (alarm.name, alarm.source, alarm.subject) = (seen.name, seen.source, seen.subject))`);

export const someAreOpen = (name: AlarmName): RawBuilder<boolean> => sql`
  exists (select from alarm where cleared_at is null and alarm.name = ${sql.lit(name)})`;

/**
 * Closes open alarms. The statement of a change closes those that end with it, `clearQuiet` quiet ones, and
 * `closeAlarms` those that a person has dealt with.
 * @param which a condition on rows of `alarm`.
 */
export const clearAlarms = (which: RawBuilder<unknown>): StatementPart => sql`
  update alarm set cleared_at = clock_timestamp() where cleared_at is null and (${which})`;

export interface AlarmChange {
  raises?: readonly Alarm[];
  clears?: readonly EndedAlarm[];
}

/** The alarms that a change has written: those that it raised, and the open ones that it ended. */
export interface WrittenAlarms {
  raised: readonly Alarm[];
  cleared: readonly EndedAlarm[];
}

/**
 * The parts `raised` and `cleared` of a statement, to follow its part `moved`: where that changed nothing,
 * they write nothing. `selectCleared` reads what they ended.
 * @param raises a table of `ALARM`, named `alarm`
 * @param clears a table of `ENDED_ALARM`, named `ends`
 */
export const alarmsOf = (raises: RawBuilder<unknown>, clears: RawBuilder<unknown>): StatementPart => sql`
  raised as (${raiseAlarms(sql`select alarm.* from ${raises} where exists (select from moved)`)}),
  cleared as (
    ${clearAlarms(sql`exists (select from moved) and (name, source, subject) in (
      select name, source, subject from ${clears})`)}
    returning name, source, subject)`;

/** The same parts of a statement that is given an `AlarmChange`. */
export const alarmsGiven = <Given>(
  { table }: Slots<Given>,
  read: (given: Given) => AlarmChange,
): StatementPart =>
  alarmsOf(
    table("alarm", ALARM, (given) => read(given).raises ?? []),
    table("ends", ENDED_ALARM, (given) => read(given).clears ?? []),
  );

/** The alarms that a statement with these parts ended, as a column. */
export const selectCleared = sql`coalesce((select json_agg(cleared) from cleared), '[]'::json) as cleared`;

export const CLEARED = { cleared: returned.json<EndedAlarm[]>() } as const;

const ABOUT: Columns<Pick<Alarm, "source" | "subject">> = {
  source: text(({ source }) => source),
  subject: text(({ subject }) => subject),
};

export const closeAlarms = command(
  (names: readonly AlarmName[], about: readonly Pick<Alarm, "source" | "subject">[]) =>
    sql`${clearAlarms(sql`name = any(${names}::text[]) and (source, subject) in (
      select source, subject from ${tableOf("given", ABOUT, about)})`)}`,
  [],
  [],
);

const IS_QUIET = sql`name = any(${QUIET_NAMES}::text[]) and exists (
  select from unnest(${QUIET_NAMES}::text[], ${QUIET.map(({ after }) => after)}::interval[])
    as lasting (name, quiet)
  where lasting.name = alarm.name
    and last_raised_at < clock_timestamp() - quiet)`;

/** A condition: `clearQuiet` has something to do. */
export const alarmsAreQuiet: RawBuilder<boolean> = sql`
  exists (select from alarm where cleared_at is null and ${IS_QUIET})`;

const closeQuiet = new Statement(
  ENDED_ALARMS,
  () => sql`${clearAlarms(IS_QUIET)} returning name, source, subject`,
);

export class Alarms {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #metrics: Metrics;

  constructor(deps: { db: Database; log: Logger; metrics: Metrics }) {
    this.#db = deps.db;
    this.#log = deps.log;
    this.#metrics = deps.metrics;
  }

  /**
   * Reports the alarms that a transaction has written: a log line and a count for each. The webhook reads the
   * rows.
   */
  notify(alarms: readonly Alarm[]): void {
    for (const { name, source, subject, detail } of alarms) {
      this.#log.error({ alarm: name, source, subject }, detail);
      this.#metrics.alarms.inc({ alarm: name });
    }
  }

  /** The same for those that were closed. */
  notifyCleared(alarms: readonly EndedAlarm[]): void {
    for (const { name, source, subject } of alarms)
      this.#log.info({ alarmCleared: name, source, subject }, "alarm cleared");
  }

  notifyAll({ raised, cleared }: WrittenAlarms): void {
    this.notify(raised);
    this.notifyCleared(cleared);
  }

  /**
   * Closes the alarms that have been quiet for as long as their definitions say, whichever process raised
   * them.
   */
  async clearQuiet(): Promise<void> {
    this.notifyCleared(await closeQuiet.execute(this.#db));
  }

  /**
   * Writes an alarm that is over and could not be written while it lasted, unless another process that saw
   * the same has written it.
   * @param lastedMs how long ago it began, in ms
   * @param notified people were notified of its beginning
   */
  async keepEnded(
    alarm: Alarm,
    { lastedMs, notified }: { lastedMs: number; notified: boolean },
  ): Promise<void> {
    await insertEnded(this.#db, alarm, lastedMs, notified);
  }
}

const insertEnded = command(
  ({ name, source, subject, detail }: Alarm, lastedMs: number, notified: boolean) => {
    const began = sql`clock_timestamp() - ${lastedMs}::float8 * interval '1 ms'`;
    return sql`
    insert into alarm (name, source, subject, detail, raised_at, last_raised_at, cleared_at, told_at)
    select ${name}, ${source}, ${subject}, ${detail}, ${began}, ${began}, clock_timestamp(),
      case when ${notified} then ${began} end
    where not exists (select from alarm
      where name = ${name} and source = ${source} and subject = ${subject} and cleared_at > ${began})`;
  },
);

/** An alarm that stays open is raised again no sooner than this. */
const AGAIN_MS = 86_400_000;

const insertLasting = new Statement(
  { ...ENDED_ALARMS, detail: returned.text() },
  ({ table }: Slots<readonly Alarm[]>) => sql`
    ${raiseLasting(sql`select * from ${table("given", ALARM, (alarms) => alarms)}`, AGAIN_MS)}
    returning name, source, subject, detail`,
);

const closeOthers = new Statement(
  ENDED_ALARMS,
  ({ value }: Slots<{ name: AlarmName; subjects: readonly string[] }>) => sql`
    ${clearAlarms(sql`name = ${value(({ name }) => name)}
      and subject <> all(${value(({ subjects }) => subjects)}::text[])`)}
    returning name, source, subject`,
);

/**
 * Records the result of a repeated check: raises an alarm for each lasting fault, and closes the others of that
 * name.
 * @returns the alarms that it raised.
 */
export async function noteLasting(
  { db, alarms }: { db: Database; alarms: Alarms },
  name: AlarmName,
  lasting: readonly Omit<Alarm, "name">[],
): Promise<readonly Alarm[]> {
  const given = lasting.map((alarm): Alarm => ({ ...alarm, name }));
  const raised = given.length === 0 ? [] : await insertLasting.execute(db, given);
  alarms.notify(raised);
  const subjects = lasting.map(({ subject }) => subject);
  alarms.notifyCleared(await closeOthers.execute(db, { name, subjects }));
  return raised;
}
