import { type Kysely, sql } from "kysely";
import type { Alarm, Alarms } from "../database/alarms.ts";
import type { Tables } from "../database/tables.ts";
import { messageOf } from "../kit/errors.ts";
import type { Logger } from "../kit/log.ts";
import { within } from "../kit/within.ts";

export interface DatabaseWatchOptions {
  db: Kysely<Tables>;
  alarms: Alarms;
  log: Logger;
  /**
   * Tells people at once, since no row can be written; null where nobody is told. Resolves with whether they
   * were told.
   */
  tellPeople: ((alarm: Alarm & { raisedAt: Date }) => Promise<boolean>) | null;
}

interface OpenAlarm {
  alarm: Alarm;
  /** When Postgres last answered, by performance.now(). */
  since: number;
  told: boolean;
}

const LOOK_EVERY_MS = 1_000;

/** An answer that takes longer counts as none. */
const LATE_MS = 2_000;

/** After so long without an answer a person is told. */
const ALARM_AFTER_MS = 5_000;

/** A stop waits so long for the end of an alarm to be written. */
const STOP_WITHIN_MS = 2_000;

/**
 * Asks Postgres for a sign of life each second. The alarm that it is away is held in memory; its row is
 * written once Postgres is back, already cleared: by a stop at the latest, if Postgres answers then.
 */
export class DatabaseWatch {
  readonly #options: DatabaseWatchOptions;
  readonly #timer: NodeJS.Timeout;
  #answeredAt = performance.now();
  #lookedAt = performance.now();
  #askedAt: number | null = null;
  #asking: Promise<void> = Promise.resolve();
  #lastError = `no answer within ${LATE_MS} ms`;
  #failed = false;
  #open: OpenAlarm | null = null;

  constructor(options: DatabaseWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  /** Whether it answered when it was last asked. */
  get isUp(): boolean {
    return !this.#failed && (this.#askedAt === null || performance.now() - this.#askedAt < LATE_MS);
  }

  get isAlarming(): boolean {
    return this.#open !== null;
  }

  /** An alarm that is open is ended now if Postgres answers; resolves within `STOP_WITHIN_MS`. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#open === null) return;
    const lookOnceMore = this.#asking.then(() => (this.#open === null ? undefined : this.#ask()));
    await within(lookOnceMore, STOP_WITHIN_MS, undefined);
  }

  #look(): void {
    this.#leaveSleepOut();
    if (this.#open === null && performance.now() - this.#answeredAt >= ALARM_AFTER_MS) this.#raise();
    if (this.#askedAt !== null) return;
    this.#askedAt = performance.now();
    this.#asking = this.#ask().finally(() => {
      this.#askedAt = null;
    });
  }

  /** While this process was suspended nobody asked: that was no silence on Postgres' side. */
  #leaveSleepOut(): void {
    const now = performance.now();
    const sleptMs = now - this.#lookedAt - LOOK_EVERY_MS;
    this.#lookedAt = now;
    if (sleptMs < LOOK_EVERY_MS) return;
    this.#answeredAt += sleptMs;
    if (this.#askedAt !== null) this.#askedAt += sleptMs;
  }

  async #ask(): Promise<void> {
    try {
      await sql`select 1`.execute(this.#options.db);
      if (this.#open !== null) await this.#end(this.#open);
      this.#failed = false;
      this.#answeredAt = performance.now();
    } catch (error) {
      this.#failed = true;
      this.#lastError = messageOf(error);
    }
  }

  #raise(): void {
    const detail =
      `Postgres has been away for ${ALARM_AFTER_MS / 1_000} s: ${this.#lastError}. Callbacks are answered ` +
      "503, so that the provider sends them again; all that is recorded waits and goes on by itself.";
    const alarm: Alarm = { name: "database_away", source: "", subject: "postgres", detail };
    const { alarms, tellPeople } = this.#options;
    alarms.tell([alarm]);
    const open: OpenAlarm = { alarm, since: this.#answeredAt, told: false };
    this.#open = open;
    tellPeople?.({ ...alarm, raisedAt: new Date() }).then(
      (told) => {
        open.told = told;
      },
      () => undefined,
    );
  }

  async #end({ alarm, since, told }: OpenAlarm): Promise<void> {
    const lastedMs = performance.now() - since;
    await this.#options.alarms.keepEnded(alarm, { lastedMs, told });
    this.#open = null;
    this.#options.alarms.tellCleared([alarm]);
    this.#options.log.info({ awaySeconds: Math.round(lastedMs / 1_000) }, "Postgres answers again");
  }
}
