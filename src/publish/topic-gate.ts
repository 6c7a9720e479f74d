import { type Kysely, sql } from "kysely";
import type { Alarms } from "../database/alarms.ts";
import type { Tables } from "../database/tables.ts";
import { backOffMs } from "../workers/back-off.ts";

const BACK_OFF = { firstMs: 500, capMs: 30_000 };

/** From so many faults in a row it is worth a person's attention. */
const ALARMING_FAULTS = 5;

export interface TopicGateOptions {
  db: Kysely<Tables>;
  alarms: Alarms;
  topicArn: string;
}

/** The state of one topic, for all processes: open, backing off, or paused because it refuses us. */
export class TopicGate {
  readonly #options: TopicGateOptions;
  #healthy = false;

  constructor(options: TopicGateOptions) {
    this.#options = options;
  }

  /** A batch was answered. Writes only when that is news to this process. */
  async works(): Promise<void> {
    if (this.#healthy) return;
    this.#healthy = true;
    const { db, alarms, topicArn } = this.#options;
    const { rows } = await sql`
      update topic set faults = 0, opens_at = '-infinity', last_error = null,
        paused_by = case paused_by when 'operator' then 'operator' end, paused_at = case paused_by when 'operator' then paused_at end
      where arn = ${topicArn} and (faults > 0 or paused_by = 'refused') returning arn`.execute(db);
    if (rows.length === 0) return;
    for (const name of ["topic_failing", "topic_paused"] as const)
      await alarms.clear({ name, source: "", subject: topicArn });
  }

  /** Another process may have shut it since. */
  doubt(): void {
    this.#healthy = false;
  }

  /** A batch failed as a whole and may go through later: the topic backs off, without end. */
  async failed(error: string): Promise<void> {
    const faults = await this.#shut(error, null);
    if (faults !== ALARMING_FAULTS) return;
    const detail = `SNS fails again and again: ${error}. Events wait and are sent again by themselves.`;
    await this.#options.alarms.raise({
      name: "topic_failing",
      source: "",
      subject: this.#options.topicArn,
      detail,
    });
  }

  /** The topic or our right to it is missing: paused until one event gets through. */
  async refused(error: string): Promise<void> {
    const faults = await this.#shut(error, "refused");
    if (faults > 1) return;
    const detail = `SNS refuses this topic: ${error}. Check that the topic exists, its region, and the credentials. Events wait; sending goes on by itself once it works.`;
    await this.#options.alarms.raise({
      name: "topic_paused",
      source: "",
      subject: this.#options.topicArn,
      detail,
    });
  }

  async #shut(error: string, pausedBy: "refused" | null): Promise<number> {
    this.#healthy = false;
    const { db, topicArn } = this.#options;
    const { rows } = await sql<{ faults: number }>`
      update topic set faults = faults + 1, last_error = ${error},
        opens_at = clock_timestamp() + least(${BACK_OFF.capMs}, ${BACK_OFF.firstMs} * power(2, least(faults, 20))) * ${0.5 + Math.random() / 2} * interval '1 ms',
        paused_by = coalesce(paused_by, ${pausedBy}), paused_at = case when paused_by is null and ${pausedBy}::text is not null then clock_timestamp() else paused_at end
      where arn = ${topicArn} returning faults`.execute(db);
    return rows[0]?.faults ?? 0;
  }
}

/** How long one event waits that failed while its neighbours went through, in ms. */
export const entryBackOffMs = (attempt: number): number => backOffMs(attempt + 1, BACK_OFF);
