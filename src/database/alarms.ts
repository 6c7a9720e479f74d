import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Logger } from "../kit/log.ts";
import type { Metrics } from "../kit/metrics.ts";
import { type Columns, tableOf, text } from "./columns.ts";
import type { Tables } from "./tables.ts";

/**
 * What needs a person. The names are what monitoring is set on: a new one is added here first, and gets a
 * heading in docs/operations.md.
 */
export const ALARM_NAMES = [
  "callback_refused",
  "callbacks_over_budget",
  "source_failing",
  "source_paused",
  "retry_after_capped",
  "unknown_ids_flooding",
  "sweep_failing",
  "certificate_gap",
  "certificate_failing",
  "provider_answer_outside_contract",
  "confirmation_dead",
  "invoice_quarantined",
  "invoice_anomaly",
  "event_dead",
  "event_truncated",
  "topic_failing",
  "topic_paused",
  "replay_failed",
  "database_away",
] as const;

export type AlarmName = (typeof ALARM_NAMES)[number];

export interface Alarm {
  name: AlarmName;
  source: string;
  /** What it is about: an invoice id, a topic, or the source once more. */
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

/**
 * Writes alarms, as part of the statement that makes the change they tell of (G13). Raised again while open,
 * an alarm counts in the same row.
 * @param alarms yields name, source, subject and detail.
 */
export const raising = (alarms: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into alarm (name, source, subject, detail)
  select distinct on (name, source, subject) name, source, subject, detail from (${alarms}) as raised
  order by name, source, subject
  on conflict (name, source, subject) where cleared_at is null do update
    set times = alarm.times + 1, last_raised_at = clock_timestamp(), detail = excluded.detail`;

/** Closes open alarms, in the same way. @param which a condition on rows of `alarm`. */
export const clearing = (which: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  update alarm set cleared_at = clock_timestamp() where cleared_at is null and ${which}`;

const ABOUT: Columns<Pick<Alarm, "source" | "subject">> = {
  source: text(({ source }) => source),
  subject: text(({ subject }) => subject),
};

/** Closes the open alarms about these, because someone has seen to them. */
export async function closeAlarms(
  db: Kysely<Tables>,
  names: readonly AlarmName[],
  about: readonly Pick<Alarm, "source" | "subject">[],
): Promise<void> {
  await clearing(sql`name = any(${names}::text[]) and (source, subject) in (
    select source, subject from ${tableOf("given", ABOUT, about)})`).execute(db);
}

/** An alarm is a log line at error level, a counter, and a row that stays open until it is cleared. */
export class Alarms {
  readonly #db: Kysely<Tables>;
  readonly #log: Logger;
  readonly #metrics: Metrics;

  constructor(deps: { db: Kysely<Tables>; log: Logger; metrics: Metrics }) {
    this.#db = deps.db;
    this.#log = deps.log;
    this.#metrics = deps.metrics;
    // An increase from nothing is none to Prometheus.
    for (const alarm of ALARM_NAMES) deps.metrics.alarms.inc({ alarm }, 0);
  }

  /** Says what a transaction has written: a line and a count for each. */
  tell(alarms: readonly Alarm[]): void {
    for (const { name, source, subject, detail } of alarms) {
      this.#log.error({ alarm: name, source, subject }, detail);
      this.#metrics.alarms.inc({ alarm: name });
    }
  }

  /** The same for those that were closed. */
  tellCleared(alarms: readonly Omit<Alarm, "detail">[]): void {
    for (const { name, source, subject } of alarms)
      this.#log.info({ alarmCleared: name, source, subject }, "alarm cleared");
  }

  /** Raises one that no other change belongs to. */
  async raise(alarm: Alarm, db: Kysely<Tables> = this.#db): Promise<void> {
    await raising(sql`select * from ${tableOf("alarm", ALARM, [alarm])}`).execute(db);
    this.tell([alarm]);
  }

  /** Raises one that says what lasts: while it is open, this only notes that it still does. */
  async goesOn(alarm: Alarm): Promise<void> {
    const { rows } = await sql<{ isNew: boolean }>`
      insert into alarm (name, source, subject, detail)
      select name, source, subject, detail from ${tableOf("alarm", ALARM, [alarm])}
      on conflict (name, source, subject) where cleared_at is null do update
        set last_raised_at = clock_timestamp()
      returning xmax = 0 as "isNew"`.execute(this.#db);
    if (rows[0]?.isNew === true) this.tell([alarm]);
  }

  /** Closes those of a name that nobody said to go on for so long, in ms, in whichever process they began. */
  async clearQuiet(name: AlarmName, quietMs: number): Promise<void> {
    const { rows } = await sql<Omit<Alarm, "detail">>`
      ${clearing(sql`name = ${name} and last_raised_at < clock_timestamp() - ${`${quietMs} ms`}::interval`)}
      returning name, source, subject`.execute(this.#db);
    this.tellCleared(rows);
  }

  /**
   * Keeps one that is over and could not be kept while it lasted; another process that saw the same has
   * perhaps kept it already.
   * @param lastedMs how long ago it began, in ms
   * @param told people have heard of its beginning
   */
  async keepEnded(alarm: Alarm, { lastedMs, told }: { lastedMs: number; told: boolean }): Promise<void> {
    const { name, source, subject, detail } = alarm;
    const began = sql`clock_timestamp() - ${lastedMs}::float8 * interval '1 ms'`;
    await sql`
      insert into alarm (name, source, subject, detail, raised_at, last_raised_at, cleared_at, told_at)
      select ${name}, ${source}, ${subject}, ${detail}, ${began}, ${began}, clock_timestamp(),
        case when ${told} then ${began} end
      where not exists (select from alarm
        where name = ${name} and source = ${source} and subject = ${subject} and cleared_at > ${began})`.execute(
      this.#db,
    );
  }

  /** Closes it if it is open. */
  async clear(alarm: Omit<Alarm, "detail">, db: Kysely<Tables> = this.#db): Promise<void> {
    const { name, source, subject } = alarm;
    const { numAffectedRows = 0n } = await clearing(
      sql`name = ${name} and source = ${source} and subject = ${subject}`,
    ).execute(db);
    if (numAffectedRows > 0n) this.tellCleared([alarm]);
  }
}
