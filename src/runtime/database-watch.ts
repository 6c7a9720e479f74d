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
import { OneForAll, within } from "../platform/process/index.ts";

interface DatabaseWatchOptions {
  db: Database;
  log: Logger;
  alarms: Alarms;
  /** Runs at once, since no row can be written; null without a webhook. Resolves with whether people were notified. */
  notifyPeople: ((alarm: Alarm & { raisedAt: Date }) => Promise<boolean>) | null;
}

const CHECK_EVERY_MS = 1_000;
/** An answer to another caller counts for as long as until the next check, which may come a little late. */
const FRESH_MS = CHECK_EVERY_MS + 100;
/** An answer that takes longer counts as none. */
const LATE_MS = 2_000;
/** `/readyz` answers within a second, on a busy machine too. */
const READY_WITHIN_MS = 600;
/** A stop waits so long for the end of an alarm to be written. */
const STOP_WITHIN_MS = 2_000;
/** After so long without recording people are notified. */
const ALARM_AFTER_MS = 5_000;
/** Failures further apart than this are not one outage: nothing was tried in between. */
const FORGOTTEN_AFTER_MS = 90_000;
/** Between two tries to notify people. */
const NOTIFY_AGAIN_MS = 5_000;

const silent = (ms: number): RecordingProblem => ({
  alarm: "database_away",
  reason: `no answer within ${ms} ms`,
  action: "Check whether it hangs, and the network to it.",
});

const BEGINS: Readonly<Record<RecordingProblem["alarm"], string>> = {
  database_away: "Postgres has been away",
  recording_failing: "Callbacks could not be recorded",
};

type AlarmName = RecordingProblem["alarm"];

/** Times are by performance.now(). */
interface Outage {
  lastAt: number;
  problem: RecordingProblem;
  /** Since when the problem has been of this kind. */
  since: number;
}

interface OpenAlarm {
  alarm: Alarm;
  since: number;
  raisedAt: Date;
  notified: boolean;
  nextTryAt: number;
}

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
  #askedAt = 0;
  #answeredAt = Number.NEGATIVE_INFINITY;
  readonly #checks = new OneForAll<void>();
  #retry: () => Promise<void> = async () => undefined;
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

  start(): void {
    const checkUnlessAnswered = () => {
      const isFresh = performance.now() - this.#answeredAt < FRESH_MS;
      if (!isFresh || this.#isTroubled) void this.#check();
    };
    this.#timer = setInterval(checkUnlessAnswered, CHECK_EVERY_MS).unref();
  }

  /** @param retry tries again to record what failed; called at each check until a write succeeds. */
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
    this.#written = { problem: failedWrite(error), isOneOnly: isRefusedData(error) };
  }

  /** If a write failed, or an outage may last. Resolves once people were notified: then a container may be frozen. */
  async checkIfTroubled(): Promise<void> {
    if (!this.#isTroubled) return;
    await this.#check();
    await this.#notifying;
  }

  get #isTroubled(): boolean {
    return this.#found !== null || this.#written !== null || this.#open.size > 0;
  }

  /** The reason is logged once, and not given to the caller. Never throws, nor takes longer than a second. */
  async isReady(): Promise<boolean> {
    const found = await this.#ask(READY_WITHIN_MS);
    const problem = found ?? (this.#written?.isOneOnly === false ? this.#written.problem : null);
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
    if (this.#open.size === 0) return;
    // The first may have begun before.
    await within(
      this.#check().then(() => this.#check()),
      STOP_WITHIN_MS,
      undefined,
    );
  }

  /** Checks now, or joins a check under way. */
  #check(): Promise<void> {
    return this.#checks.run(async () => {
      this.#found = await this.#ask(LATE_MS);
      if (this.#found === null && this.#written !== null) await within(this.#retry(), LATE_MS, undefined);
      const problem = this.#found ?? this.#written?.problem ?? null;
      if (problem !== null) this.#note(problem);
      // An alarm that cannot be stored yet stays open.
      else await this.#end().catch(() => undefined);
    });
  }

  /** Joins a question that is under way; resolves with silence as soon as that one is late. */
  #ask(withinMs: number): Promise<RecordingProblem | null> {
    if (this.#question === null) {
      this.#askedAt = performance.now();
      this.#question = findRecordingProblem(this.#options.db).finally(() => {
        this.#question = null;
      });
    }
    const leftMs = Math.max(0, this.#askedAt + withinMs - performance.now());
    return within(this.#question, leftMs, silent(withinMs));
  }

  #note(problem: RecordingProblem): void {
    const now = performance.now();
    const last = this.#outage;
    const goesOn = last?.problem.alarm === problem.alarm && now - last.lastAt < FORGOTTEN_AFTER_MS;
    const outage = { problem, lastAt: now, since: goesOn ? last.since : now };
    this.#outage = outage;
    if (!this.#open.has(problem.alarm) && now - outage.since >= ALARM_AFTER_MS) this.#raise(outage);
    for (const open of this.#open.values())
      if (now >= open.nextTryAt) this.#notifying = this.#notifyPeople(open);
  }

  #raise({ problem: { alarm: name, reason, action }, since }: Outage): void {
    const detail =
      `${BEGINS[name]} for ${ALARM_AFTER_MS / 1_000} s: ${reason}. ${action} Callbacks ` +
      "are answered 503, so that the provider sends them again; all that is recorded waits and goes on by " +
      "itself.";
    const alarm: Alarm = { name, source: "", subject: "postgres", detail };
    this.#open.set(name, { alarm, since, raisedAt: new Date(), notified: false, nextTryAt: 0 });
    this.#options.alarms.notify([alarm]);
  }

  /** Callbacks can be recorded: open alarms are stored with their end. @throws what the database throws. */
  async #end(): Promise<void> {
    const { alarms } = this.#options;
    for (const [name, { alarm, since, notified }] of this.#open) {
      await alarms.keepEnded(alarm, { lastedMs: performance.now() - since, notified });
      this.#open.delete(name);
      alarms.notifyCleared([alarm]);
    }
    this.#outage = null;
  }

  async #notifyPeople(open: OpenAlarm): Promise<void> {
    open.nextTryAt = Number.POSITIVE_INFINITY;
    const { notifyPeople } = this.#options;
    if (notifyPeople === null) return;
    const { alarm, raisedAt } = open;
    open.notified = await notifyPeople({ ...alarm, raisedAt }).catch(() => false);
    if (!open.notified) open.nextTryAt = performance.now() + NOTIFY_AGAIN_MS;
  }
}
