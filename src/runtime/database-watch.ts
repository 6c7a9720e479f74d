import type { Alarm, Alarms } from "../platform/alarms/index.ts";
import {
  type Database,
  failedWrite,
  findRecordingProblem,
  type RecordingProblem,
  type Why,
} from "../platform/database/index.ts";
import { isRefusedData } from "../platform/errors/index.ts";
import type { Logger } from "../platform/log/index.ts";
import { backOffMs, OneForAll, within } from "../platform/process/index.ts";

interface DatabaseWatchOptions {
  db: Database;
  log: Logger;
  alarms: Alarms;
  /** Runs at once, since no row can be written; null without a webhook. Resolves with whether people were notified. */
  notifyPeople: ((alarm: Alarm & { raisedAt: Date }) => Promise<boolean>) | null;
}

const LOOK_EVERY_MS = 1_000;

/** An answer to another caller counts for as long as until the next check, which may come a little late. */
const FRESH_MS = LOOK_EVERY_MS + 100;

/** An answer that takes longer counts as none. */
const LATE_MS = 2_000;

/** `/readyz` answers within a second, on a busy machine too. */
const READY_WITHIN_MS = 600;

/** A stop waits so long for the end of an alarm to be written. */
const STOP_WITHIN_MS = 2_000;

const SILENT: RecordingProblem = {
  alarm: "database_away",
  reason: `no answer within ${LATE_MS} ms`,
  action: "Check whether it hangs, and the network to it.",
};

type AlarmName = RecordingProblem["alarm"];

/** After so long without recording people are notified, in ms. */
const ALARM_AFTER_MS = 5_000;

/** Failures further apart than this, in ms, are not one outage: nothing was tried in between. */
const FORGOTTEN_AFTER_MS = 90_000;

interface Outage {
  since: number;
  lastAt: number;
  /** The newest problem, and since when it has been of this kind. */
  problem: RecordingProblem;
  sameSince: number;
}

interface OpenAlarm {
  alarm: Alarm;
  since: number;
  raisedAt: Date;
  notified: boolean;
  failures: number;
  /** By performance.now(); none while a message is under way. */
  nextTryAt: number;
}

/** Between two tries to notify people of one alarm. */
const NOTIFY_BACK_OFF = { firstMs: 2_000, capMs: 60_000 };

const BEGINS: Readonly<Record<AlarmName, string>> = {
  database_away: "Postgres has been away",
  recording_failing: "Callbacks could not be recorded",
};

/**
 * Watches whether callbacks can be recorded: by the results of commits, and by asking Postgres. Readiness and the
 * alarms `database_away` and `recording_failing` follow from it. The alarms are kept in memory while nothing can be
 * recorded, and stored when that ends. `serve` starts its timer; a Lambda function, which runs only during
 * invocations, checks by itself.
 */
export class DatabaseWatch {
  readonly #options: DatabaseWatchOptions;
  #timer: NodeJS.Timeout | undefined;
  /** The newest answer of Postgres. */
  #found: RecordingProblem | null = null;
  /** The result of the newest write. */
  #written: { problem: RecordingProblem; isOneOnly: boolean } | null = null;
  /** A single question at a time: questions must not pile up at a database that hangs. */
  #question: Promise<RecordingProblem | null> | null = null;
  /** When the last check began, by performance.now(). */
  #askedAt = 0;
  /** When Postgres last answered another caller with the same question. */
  #answeredAt = Number.NEGATIVE_INFINITY;
  readonly #looks = new OneForAll<void>();
  #retry: (() => Promise<void>) | null = null;
  readonly #retries = new OneForAll<void>();
  #onChange: () => void = () => undefined;
  #saidReady = true;
  #outage: Outage | null = null;
  readonly #open = new Map<AlarmName, OpenAlarm>();
  /** Ends once people have been notified of what was raised, or could not be. */
  #notifying: Promise<void> = Promise.resolve();

  constructor(options: DatabaseWatchOptions) {
    this.#options = options;
  }

  /** Whether Postgres answered the last check. */
  get isUp(): boolean {
    return this.#found?.alarm !== "database_away";
  }

  get openAlarms(): readonly AlarmName[] {
    return [...this.#open.keys()];
  }

  /** Why Postgres, though it answers, takes no callbacks; null until that is an alarm. */
  get whyFailing(): Why | null {
    const problem = this.#open.has("recording_failing") ? this.#outage?.problem : undefined;
    if (problem?.alarm !== "recording_failing") return null;
    return { reason: problem.reason, action: problem.action };
  }

  /** @param onChange called when an alarm is raised, and when all are over. */
  start(onChange: () => void): void {
    this.#onChange = onChange;
    const lookUnlessAnswered = () => {
      const isFresh = performance.now() - this.#answeredAt < FRESH_MS;
      if (!isFresh || this.#isTroubled) void this.look();
    };
    this.#timer = setInterval(lookUnlessAnswered, LOOK_EVERY_MS).unref();
  }

  /** @param retry tries again to record what failed; called each second until a write succeeds. */
  retryWith(retry: () => Promise<void>): void {
    this.#retry = retry;
  }

  /** To be called when Postgres has shown elsewhere that it would take callbacks: the next check can wait. */
  noteAnswer(): void {
    this.#answeredAt = performance.now();
  }

  noteCommit(): void {
    this.#written = null;
  }

  /** To be called when a write failed: of callbacks, or of other work in a function that records none. */
  noteFailure(error: unknown): void {
    // A row that Postgres refuses says little about the next.
    this.#written = {
      problem: failedWrite(error),
      isOneOnly: isRefusedData(error),
    };
  }

  /** Checks now, or joins a check under way. */
  look(): Promise<void> {
    return this.#looks.run(() => this.#lookNow());
  }

  /** If a write failed, or an outage may last. Resolves once people were notified: then a container may be frozen. */
  async lookIfTroubled(): Promise<void> {
    if (!this.#isTroubled) return;
    await this.look();
    await this.#notifying;
  }

  get #isTroubled(): boolean {
    return this.#found !== null || this.#written !== null || this.openAlarms.length > 0;
  }

  /** The reason is logged once, and not given to the caller. Never throws, nor takes longer than a second. */
  async isReady(): Promise<boolean> {
    const late: RecordingProblem = { ...SILENT, reason: `no answer within ${READY_WITHIN_MS} ms` };
    const problem =
      (await this.#ask(READY_WITHIN_MS, late)) ??
      (this.#written?.isOneOnly === true ? null : this.#written?.problem) ??
      null;
    const isReady = problem === null;
    if (isReady !== this.#saidReady) {
      const { log } = this.#options;
      if (isReady) log.info("ready again: callbacks can be recorded");
      else log.warn({ error: problem.reason }, "not ready: callbacks cannot be recorded");
      this.#saidReady = isReady;
    }
    return isReady;
  }

  /** An alarm that is open is ended now if callbacks can be recorded; resolves within `STOP_WITHIN_MS`. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    if (this.openAlarms.length === 0) return;
    const lookOnceMore = async () => {
      await this.#retryFailed();
      // The first may have begun before.
      await this.look();
      await this.look();
    };
    await within(lookOnceMore(), STOP_WITHIN_MS, undefined);
  }

  async #lookNow(): Promise<void> {
    const found = await this.#ask(LATE_MS, SILENT);
    this.#found = found;
    if (found === null) void this.#retryFailed();
    const problem = found ?? this.#written?.problem ?? null;
    if (problem !== null) {
      if (this.#noteProblem(problem, found === SILENT ? LATE_MS : 0)) this.#onChange();
      return;
    }
    const hadAlarms = this.openAlarms.length > 0;
    // Alarms that cannot be stored yet stay open.
    await this.#endAll().catch(() => undefined);
    if (hadAlarms) this.#onChange();
  }

  /** Joins a question that is under way; resolves with `late` as soon as that one is. */
  #ask(withinMs: number, late: RecordingProblem): Promise<RecordingProblem | null> {
    if (this.#question === null) {
      this.#askedAt = performance.now();
      this.#question = findRecordingProblem(this.#options.db).finally(() => {
        this.#question = null;
      });
    }
    return within(this.#question, Math.max(0, this.#askedAt + withinMs - performance.now()), late);
  }

  async #retryFailed(): Promise<void> {
    if (this.#written !== null && this.#retry !== null) await this.#retries.run(this.#retry);
  }

  /** @param forMs for how long already, where it is the first. @returns whether an alarm was raised. */
  #noteProblem(problem: RecordingProblem, forMs: number): boolean {
    const now = performance.now();
    const last = this.#outage;
    const goesOn = last !== null && (this.#open.size > 0 || now - last.lastAt < FORGOTTEN_AFTER_MS);
    const outage = goesOn ? last : { since: now - forMs, sameSince: now - forMs, lastAt: now, problem };
    if (outage.problem.alarm !== problem.alarm) outage.sameSince = now;
    outage.lastAt = now;
    outage.problem = problem;
    this.#outage = outage;
    // A server that restarts again and again may be away now and full then: that is one outage.
    const since = this.#open.size === 0 ? outage.since : outage.sameSince;
    const isNew = !this.#open.has(problem.alarm) && now - since >= ALARM_AFTER_MS;
    if (isNew) this.#raise(problem, since);
    for (const open of this.#open.values())
      if (now >= open.nextTryAt) this.#notifying = this.#notifyPeople(open);
    return isNew;
  }

  /** Callbacks can be recorded: open alarms are stored with their end. @throws what the database throws. */
  async #endAll(): Promise<void> {
    const { alarms } = this.#options;
    for (const [name, { alarm, since, notified }] of this.#open) {
      await alarms.keepEnded(alarm, { lastedMs: performance.now() - since, notified });
      this.#open.delete(name);
      alarms.notifyCleared([alarm]);
    }
    this.#outage = null;
  }

  #raise({ alarm: name, reason, action }: RecordingProblem, since: number): void {
    const detail =
      `${BEGINS[name]} for ${ALARM_AFTER_MS / 1_000} s: ${reason}. ${action} Callbacks ` +
      "are answered 503, so that the provider sends them again; all that is recorded waits and goes on by " +
      "itself.";
    const alarm: Alarm = { name, source: "", subject: "postgres", detail };
    const nextTryAt = this.#options.notifyPeople === null ? Number.POSITIVE_INFINITY : performance.now();
    this.#open.set(name, { alarm, since, raisedAt: new Date(), notified: false, failures: 0, nextTryAt });
    this.#options.alarms.notify([alarm]);
  }

  async #notifyPeople(open: OpenAlarm): Promise<void> {
    open.nextTryAt = Number.POSITIVE_INFINITY;
    const { alarm, raisedAt } = open;
    open.notified = (await this.#options.notifyPeople?.({ ...alarm, raisedAt }).catch(() => false)) ?? false;
    if (open.notified) return;
    open.failures += 1;
    open.nextTryAt = performance.now() + backOffMs(open.failures, NOTIFY_BACK_OFF);
  }
}
