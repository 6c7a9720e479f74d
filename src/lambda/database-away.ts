import { setTimeout as delay } from "node:timers/promises";
import type { Alarm, Alarms } from "../database/alarms.ts";
import { isDatabaseAway } from "../database/postgres-errors.ts";
import { messageOf } from "../kit/errors.ts";

export interface DatabaseAwayOptions {
  alarms: Alarms;
  /** Sends an alarm directly, since no row can be written; null without a webhook. Resolves to success. */
  tellPeople: ((alarm: Alarm & { raisedAt: Date }) => Promise<boolean>) | null;
}

/** After this long, in ms, the alarm is sent. */
const ALARM_AFTER_MS = 5_000;

const LOOK_EVERY_MS = 1_000;

/** Failures further apart than this, in ms, are not one outage: nothing was tried in between. */
const FORGOTTEN_AFTER_MS = 90_000;

interface Outage {
  /** When Postgres first did not answer, by performance.now(). */
  since: number;
  lastAt: number;
  alarm: Alarm | null;
  told: boolean;
}

/**
 * The alarm that Postgres is away, as `DatabaseWatch` raises it for `serve`: kept in the container's memory
 * during the outage, stored once Postgres is back. A container runs only during an invocation, so this uses
 * invocations instead of a timer, and the time between them does not count.
 */
export class DatabaseAway {
  readonly #options: DatabaseAwayOptions;
  #outage: Outage | null = null;

  constructor(options: DatabaseAwayOptions) {
    this.#options = options;
  }

  /**
   * Does the work of an invocation. While Postgres is away it retries until the alarm is due; then the
   * invocation fails, which Lambda counts.
   */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        const result = await work();
        await this.answered();
        return result;
      } catch (error) {
        if (!isDatabaseAway(error)) throw error;
        await this.failed(error);
        if (this.#outage?.alarm !== null) throw error;
        await delay(LOOK_EVERY_MS);
      }
    }
  }

  /** Postgres did not answer. */
  async failed(error: unknown): Promise<void> {
    const now = performance.now();
    const outage = this.#current(now);
    outage.lastAt = now;
    this.#outage = outage;
    if (outage.alarm !== null || now - outage.since < ALARM_AFTER_MS) return;
    const alarm: Alarm = {
      name: "database_away",
      source: "",
      subject: "postgres",
      detail:
        `Postgres has been away for ${ALARM_AFTER_MS / 1_000} s: ${messageOf(error)}. Callbacks are ` +
        "answered 503, so that the provider sends them again; all that is recorded waits and goes on by " +
        "itself.",
    };
    outage.alarm = alarm;
    this.#options.alarms.tell([alarm]);
    outage.told = (await this.#options.tellPeople?.({ ...alarm, raisedAt: new Date() })) ?? false;
  }

  /**
   * After an answer that may have needed no database: while Postgres is taken to be away, it is asked.
   * @param ask something that only Postgres can answer.
   */
  async answeredPerhaps(ask: () => Promise<unknown>): Promise<void> {
    if (this.#outage === null) return;
    try {
      await ask();
    } catch (error) {
      return await this.failed(error);
    }
    await this.answered();
  }

  /** Postgres answers: an alarm that was sent is stored together with its end. */
  async answered(): Promise<void> {
    const { alarm, since, told } = this.#outage ?? { alarm: null, since: 0, told: false };
    if (alarm !== null) {
      await this.#options.alarms.keepEnded(alarm, { lastedMs: performance.now() - since, told });
      this.#options.alarms.tellCleared([alarm]);
    }
    this.#outage = null;
  }

  #current(now: number): Outage {
    const outage = this.#outage;
    const goesOn = outage !== null && (outage.alarm !== null || now - outage.lastAt < FORGOTTEN_AFTER_MS);
    return goesOn ? outage : { since: now, lastAt: now, alarm: null, told: false };
  }
}
