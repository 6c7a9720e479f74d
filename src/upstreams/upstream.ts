import { sql } from "kysely";
import type { Alarms } from "../alarms/alarms.ts";
import type { Database } from "../database/tables.ts";
import { step } from "../kit/step.ts";
import { change, readUpstreamRow } from "./change.ts";
import { stateOf, transition, type UpstreamReport } from "./machine.ts";
import type { UpstreamKind } from "./upstream-kind.ts";

type SlowDown = Extract<UpstreamReport, { kind: "slow_down" }>;

/** What the exchanges since the last write came to. */
interface Tally {
  answers: number;
  listsRead: number;
  faults: number;
  lastError: string;
  slowDown: SlowDown | null;
  /** The one that names the latest moment. */
  retryAfter: SlowDown | null;
  refused: Extract<UpstreamReport, { kind: "refused" }> | null;
}

const emptyTally = (): Tally => ({
  ...{ answers: 0, listsRead: 0, faults: 0, lastError: "" },
  ...{ slowDown: null, retryAfter: null, refused: null },
});

interface UpstreamOptions {
  db: Database;
  alarms: Alarms;
  kind: UpstreamKind;
  name: string;
}

/**
 * One source or topic, as the workers of one process see it. What they note is tallied and written together,
 * one write under way at a time, and only when it changes something; the row is what all processes go by.
 */
export class Upstream {
  readonly kind: UpstreamKind;
  readonly name: string;
  readonly #db: Database;
  readonly #alarms: Alarms;
  #tally = emptyTally();
  #writing: Promise<void> | null = null;
  // As far as this process knows; each claim sets it right.
  #isHealthy = false;
  #takesMore = true;

  constructor({ db, alarms, kind, name }: UpstreamOptions) {
    this.#db = db;
    this.#alarms = alarms;
    this.kind = kind;
    this.name = name;
  }

  /** Each claim says whether the row is healthy. */
  saw(isHealthy: boolean): void {
    this.#isHealthy = isHealthy;
    if (isHealthy) this.#takesMore = true;
  }

  /** Whether it was well, as far as this process knows. */
  get isHealthy(): boolean {
    return this.#isHealthy;
  }

  /** Whether it took more, when that was last looked at. */
  get takesMore(): boolean {
    return this.#takesMore;
  }

  /** Resolves once what an exchange says is written, if it is news. @returns whether it takes more. */
  async note(signal: UpstreamReport): Promise<boolean> {
    this.#add(signal);
    while (this.#writing !== null) await this.#writing;
    if (!this.#isNews) {
      this.#tally = emptyTally();
      return this.#takesMore;
    }
    const tally = this.#tally;
    this.#tally = emptyTally();
    this.#writing = this.#write(tally).finally(() => {
      this.#writing = null;
    });
    await this.#writing;
    return this.#takesMore;
  }

  #add(signal: UpstreamReport): void {
    const tally = this.#tally;
    switch (signal.kind) {
      case "works":
        tally.answers += 1;
        return;
      case "list_read":
        tally.listsRead += 1;
        return;
      case "failed":
        tally.faults += signal.times;
        tally.lastError = signal.error;
        return;
      case "slow_down":
        if (signal.retryAfterMs === null || signal.retryAfterMs <= 0) tally.slowDown = signal;
        else if (signal.retryAfterMs > (tally.retryAfter?.retryAfterMs ?? 0)) tally.retryAfter = signal;
        return;
      case "refused":
        tally.refused = signal;
        return;
    }
  }

  get #isNews(): boolean {
    const { answers, listsRead, faults, slowDown, retryAfter, refused } = this.#tally;
    const isHeld = (slowDown ?? retryAfter ?? refused) !== null;
    return faults > 0 || isHeld || (answers + listsRead > 0 && !this.#isHealthy);
  }

  async #write(tally: Tally): Promise<void> {
    const signals = signalsOf(tally);
    try {
      for (let signal = signals[0]; signal !== undefined; signal = signals[0]) {
        await this.#apply(signal);
        signals.shift();
      }
    } catch (error) {
      // What could not be written is news still.
      for (const signal of signals) this.#add(signal);
      throw error;
    }
    this.#isHealthy = tally.answers > 0 && (tally.slowDown ?? tally.retryAfter ?? tally.refused) === null;
  }

  async #apply(signal: UpstreamReport): Promise<void> {
    for (;;) {
      const before = await readUpstreamRow(this.#db, this.kind, this.name);
      if (before === null) return;
      const after = transition(before, signal, this.kind.policy, Math.random());
      this.#takesMore = stateOf(after?.upstream ?? before, this.kind.policy) === "closed";
      if (after === null) return;
      step("standing to be changed");
      const told = await change(this.#db, this.kind, this.name, before, after);
      if (told === null) continue;
      step("standing changed");
      this.#alarms.notify(told.raised);
      this.#alarms.notifyCleared(told.cleared);
      return;
    }
  }
}

/** Answers and faults came together: the upstream lives, so only faults alone count against it. */
function signalsOf(tally: Tally): UpstreamReport[] {
  const { answers, listsRead, faults, lastError, slowDown, retryAfter, refused } = tally;
  const signals: UpstreamReport[] = [];
  if (answers > 0) signals.push({ kind: "works" });
  else if (faults > 0) signals.push({ kind: "failed", times: faults, error: lastError });
  if (listsRead > 0) signals.push({ kind: "list_read" });
  if (slowDown !== null) signals.push(slowDown);
  // Last, so that nothing shortens it.
  if (retryAfter !== null) signals.push(retryAfter);
  if (refused !== null) signals.push(refused);
  return signals;
}

/** Whether this process tries a refused upstream now: the next try is due after as long as it has been refused. */
export async function takeProbe(db: Database, kind: UpstreamKind, name: string): Promise<boolean> {
  const { firstMs, capMs } = kind.policy.probe;
  const { numAffectedRows = 0n } = await sql`
    update ${sql.table(kind.table)} set probe_at = clock_timestamp() + least(${`${capMs} ms`}::interval,
      greatest(${`${firstMs} ms`}::interval, clock_timestamp() - paused_at))
    where ${sql.ref(kind.key)} = ${name} and paused_by = 'refused' and probe_at <= clock_timestamp()`.execute(
    db,
  );
  return numAffectedRows > 0n;
}
