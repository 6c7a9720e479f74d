import type { Alarm, Alarms } from "../alarms/alarms.ts";
import type { RecordingProblem, Why } from "../database/recording-problem.ts";

export interface RecordingAlarmsOptions {
  alarms: Alarms;
  /**
   * Tells people at once, since no row can be written; null where nobody is told. Resolves with whether they
   * were told.
   */
  notifyPeople: ((alarm: Alarm & { raisedAt: Date }) => Promise<boolean>) | null;
}

type AlarmName = RecordingProblem["alarm"];

/** After so long without recording a person is told, in ms. */
const ALARM_AFTER_MS = 5_000;

/** Failures further apart than this, in ms, are not one outage: nothing was tried in between. */
const FORGOTTEN_AFTER_MS = 90_000;

interface Outage {
  /** When it began, by performance.now(). */
  since: number;
  lastAt: number;
  /** The newest problem, and since when it has been of this kind. */
  problem: RecordingProblem;
  sameSince: number;
}

interface OpenAlarm {
  alarm: Alarm;
  since: number;
  told: boolean;
}

const BEGINS: Readonly<Record<AlarmName, string>> = {
  database_away: "Postgres has been away",
  recording_failing: "Callbacks could not be recorded",
};

/**
 * The alarms that say that nothing can be recorded. They are kept in memory while that lasts, since Postgres
 * takes no row then, and stored when they end.
 */
export class RecordingAlarms {
  readonly #options: RecordingAlarmsOptions;
  #outage: Outage | null = null;
  readonly #open = new Map<AlarmName, OpenAlarm>();
  #telling: Promise<void> = Promise.resolve();

  constructor(options: RecordingAlarmsOptions) {
    this.#options = options;
  }

  /** The open ones. */
  get names(): readonly AlarmName[] {
    return [...this.#open.keys()];
  }

  /** Why Postgres, though it answers, takes no callbacks; null until that is an alarm. */
  get whyFailing(): Why | null {
    const problem = this.#open.has("recording_failing") ? this.#outage?.problem : undefined;
    if (problem?.alarm !== "recording_failing") return null;
    return { reason: problem.reason, action: problem.action };
  }

  /** Resolves once people have been told of what was raised, or could not be told. */
  get told(): Promise<void> {
    return this.#telling;
  }

  /**
   * Notes that nothing can be recorded, or still not.
   * @param forMs for how long already, if this is the first that is known of it
   * @returns whether an alarm was raised.
   */
  noteProblem(problem: RecordingProblem, forMs = 0): boolean {
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
    if (this.#open.has(problem.alarm) || now - since < ALARM_AFTER_MS) return false;
    this.#telling = this.#raise(problem, since);
    return true;
  }

  /** Callbacks can be recorded: open alarms are stored with their end. @throws what the database throws. */
  async endAll(): Promise<void> {
    const { alarms } = this.#options;
    for (const [name, { alarm, since, told }] of this.#open) {
      await alarms.keepEnded(alarm, { lastedMs: performance.now() - since, told });
      this.#open.delete(name);
      alarms.tellCleared([alarm]);
    }
    this.#outage = null;
  }

  async #raise({ alarm: name, reason, action }: RecordingProblem, since: number): Promise<void> {
    const detail =
      `${BEGINS[name]} for ${ALARM_AFTER_MS / 1_000} s: ${reason}. ${action} Callbacks ` +
      "are answered 503, so that the provider sends them again; all that is recorded waits and goes on by " +
      "itself.";
    const alarm: Alarm = { name, source: "", subject: "postgres", detail };
    const open: OpenAlarm = { alarm, since, told: false };
    this.#open.set(name, open);
    this.#options.alarms.tell([alarm]);
    open.told =
      (await this.#options.notifyPeople?.({ ...alarm, raisedAt: new Date() }).catch(() => false)) ?? false;
  }
}
