import { type Kysely, sql } from "kysely";
import type { Logger } from "../kit/log.ts";
import type { Metrics } from "../kit/metrics.ts";
import type { Tables } from "./tables.ts";

/** What needs a person. The names are what monitoring is set on: a new one is added here first. */
export type AlarmName =
  | "callback_refused"
  | "callback_unwritable"
  | "source_failing"
  | "source_paused"
  | "sweep_failing"
  | "certificate_gap"
  | "provider_answer_outside_contract"
  | "question_dead"
  | "invoice_quarantined"
  | "invoice_anomaly"
  | "event_dead"
  | "event_truncated"
  | "topic_failing"
  | "topic_paused"
  | "replay_failed";

export interface Alarm {
  name: AlarmName;
  source: string;
  /** What it is about: an invoice id, a topic, or the source once more. */
  subject: string;
  /** Plain words for a person; no secrets, no personal data. */
  detail: string;
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
  }

  /** Says it at once, then keeps it. Raised again while open, it counts in the same row. */
  async raise(alarm: Alarm): Promise<void> {
    this.#log.error({ alarm: alarm.name, source: alarm.source, subject: alarm.subject }, alarm.detail);
    this.#metrics.alarms.inc({ alarm: alarm.name });
    const { name, source, subject, detail } = alarm;
    await sql`
      insert into alarm (name, source, subject, detail) values (${name}, ${source}, ${subject}, ${detail})
      on conflict (name, source, subject) where cleared_at is null do update
        set times = alarm.times + 1, last_raised_at = clock_timestamp(), detail = excluded.detail`.execute(
      this.#db,
    );
  }

  /** Closes it if it is open. */
  async clear(alarm: Pick<Alarm, "name" | "source" | "subject">): Promise<void> {
    const closed = await sql<{ id: number }>`
      update alarm set cleared_at = clock_timestamp()
      where name = ${alarm.name} and source = ${alarm.source} and subject = ${alarm.subject} and cleared_at is null
      returning id`.execute(this.#db);
    if (closed.rows.length > 0) {
      this.#log.info(
        { alarmCleared: alarm.name, source: alarm.source, subject: alarm.subject },
        "alarm cleared",
      );
    }
  }
}
