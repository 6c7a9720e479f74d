import type { Alarms } from "../../../platform/alarms/index.ts";
import { type Database, databaseClock } from "../../../platform/database/index.ts";
import { failpoint } from "../../../platform/process/index.ts";
import { readClock } from "../../../platform/upstreams/index.ts";
import { addDays, type BookPeriod, HOUR_MS, NIL_UUID } from "../../../platform/values/index.ts";
import type { Lease } from "../../../platform/worker/index.ts";
import { classOfStatus, promote, statusSets } from "../../confirm/index.ts";
import {
  countOn,
  type ListDates,
  type ListPeriod,
  periodFor,
  recentSince,
  requestFor,
} from "../list/list-dates.ts";
import { ListPace } from "../list/list-pace.ts";
import { ListReader, ListUnreadable, type Unproven } from "../list/list-reader.ts";
import {
  distrustCounts,
  findChangedDays,
  forgetUnlisted,
  type ListedRow,
  type ListKey,
  listedPerDay,
  noteListed,
  noteWholeReading,
  readListed,
  readWholeReading,
  type StoringReading,
  type WholeReading,
} from "../list/listed-rows.ts";
import { ALARMING_FAULTS } from "../list-runs.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { type Candidate, openMissing, type SweepTarget } from "./open-missing.ts";
import {
  alarmsAtEnd,
  type ClaimedSweep,
  finishSweep,
  type SweepCounts,
  saveDecided,
  sweeps,
} from "./sweep-row.ts";

export interface SweepDeps {
  db: Database;
  alarms: Alarms;
  lease: Lease;
  onConfirmations: () => void;
  onEvents?: () => void;
}

interface SweepResult extends SweepCounts {
  /** The days whose list contradicted itself: what it showed was used, the rest is unknown. */
  unproven: Unproven[];
}

const BATCH = 500;

/** After this many faults in a row, days that cannot be read are skipped so that others are. */
const FAULTS_BEFORE_PARTS = ALARMING_FAULTS - 1;

/** A list is read whole at least this often, in ms: the daily certificate does it too. */
const WHOLE_EVERY_MS = 25 * HOUR_MS;

const EVER = new Date(0);

/**
 * Reads the list for a claimed sweep, opens what is missing, and finishes it. Progress and counts are saved,
 * so that another process continues there after a crash. Days that could not be shown to be complete are
 * noted, and the other days are still read. A sweep that reads nothing is not over.
 * @throws ListUnreadable, SourcePaused or LeaseLost; confirmations opened by then stay open.
 */
export function runSweep(
  deps: SweepDeps,
  source: ReconcileSource,
  claimed: ClaimedSweep,
  signal: AbortSignal,
): Promise<SweepResult> {
  return sweeps.whileHeld({ ...deps, run: claimed, stop: signal }, async (signal) => {
    const { collectionId, window, firstServedAt, hasEarlier: seenBefore } = claimed;
    // It repairs everything that the list shows, not only its window.
    const terms = {
      ...{ from: firstServedAt ?? window.from, to: null, firstServedAt, seenBefore },
      ...{ publishEarlier: false, asksAgain: false },
    };
    const target = { source, terms, claimed };
    return await new SweepRun(deps, target, collectionId, signal).runClaimed(claimed);
  });
}

interface BackFillRequest {
  source: ReconcileSource;
  collectionId: string;
  window: BookPeriod;
  /** Also publish what was paid before the source's first `serve`; otherwise it is only recorded. */
  publish: boolean;
  signal: AbortSignal;
}

/**
 * Sweeps a period on request: opens confirmations for the running relay to ask about, and requeues events that
 * were never accepted.
 * @throws RelayError when the list cannot be read.
 */
export async function backFill(deps: SweepDeps, request: BackFillRequest): Promise<SweepResult> {
  const { source, collectionId, window, publish, signal } = request;
  const { now, servedAt: firstServedAt } = await readClock(deps.db, source.name);
  const terms = { ...window, firstServedAt, seenBefore: false, publishEarlier: publish, asksAgain: true };
  const run = new SweepRun(deps, { source, terms, claimed: null }, collectionId, signal);
  return await run.runAsked(window, now);
}

class SweepRun {
  readonly #deps: SweepDeps;
  readonly #source: ReconcileSource;
  readonly #key: ListKey;
  readonly #target: SweepTarget;
  readonly #pace: ListPace;
  readonly #signal: AbortSignal;
  readonly #unproven: Unproven[] = [];
  readonly #counts: SweepCounts = { listed: 0, missing: 0, opened: 0 };
  #pages = 0;
  /** Payments listed before that are decided. */
  #decidedSince: string;
  #decidedTo = NIL_UUID;
  readonly #faults: number;
  /** Of the first days that were skipped. */
  #skipped: ListUnreadable | null = null;

  constructor(deps: SweepDeps, target: SweepTarget, collectionId: string, signal: AbortSignal) {
    const { db, alarms } = deps;
    const { source, claimed } = target;
    this.#deps = deps;
    this.#source = source;
    this.#key = { source: source.name, collectionId };
    this.#target = target;
    this.#signal = signal;
    this.#decidedSince = claimed?.decidedSince ?? EVER.toISOString();
    this.#faults = claimed?.faults ?? 0;
    this.#pace = new ListPace({ db, alarms, source, signal });
  }

  async runAsked(window: BookPeriod, now: Date): Promise<SweepResult> {
    this.#decidedSince = now.toISOString();
    const reader = this.#readerFor({ begunAt: now, renewedBefore: now, isWhole: true });
    for (const part of (await reader.partsOf(periodFor(window, this.#source.lookbackMs))).parts)
      await this.#read(part, () => reader.readWhole(part));
    await this.#openListed();
    return { ...this.#counts, unproven: this.#unproven };
  }

  async runClaimed(claimed: ClaimedSweep): Promise<SweepResult> {
    const { db, alarms } = this.#deps;
    const period = periodFor(claimed.window, this.#source.lookbackMs);
    const { now } = await readClock(db, this.#source.name);
    const known = await readWholeReading(db, this.#key);
    if (known === null || known.dates === null || known.readAt.getTime() < now.getTime() - WHOLE_EVERY_MS)
      await this.#readWhole(claimed, period, now);
    else await this.#readChanged(claimed, period, known as WholeReading & { dates: ListDates }, now);
    // The provider does not answer at all.
    if (this.#skipped !== null && this.#pages === 0) throw this.#skipped;
    failpoint("sweep to be finished");
    const change = alarmsAtEnd(claimed, this.#unproven);
    const { cleared, ...counts } = await finishSweep(db, claimed, change);
    failpoint("sweep finished");
    alarms.notifyAll({ raised: change.raises ?? [], cleared });
    return { ...counts, unproven: this.#unproven };
  }

  /** Reads everything, the newest days first, and opens what is missing after each part. */
  async #readWhole({ startedAt }: ClaimedSweep, period: ListPeriod, now: Date): Promise<void> {
    const reader = this.#readerFor({ begunAt: startedAt, renewedBefore: startedAt, isWhole: true });
    for await (const part of this.#partsOf(reader, period, now)) {
      await this.#read(part, () => reader.readWhole(part));
      await this.#openListed();
    }
    if (this.#unproven.length > 0) return;
    const whole = { reader, period, readAt: startedAt, zone: this.#source.timeZone };
    await noteWholeReading(this.#deps.db, this.#key, whole);
  }

  /** New payments are opened before the rest is decided. */
  async *#partsOf(reader: ListReader, period: ListPeriod, now: Date): AsyncGenerator<ListPeriod> {
    const first = recentSince(now, this.#source.timeZone);
    const beginsNew = first > period.first;
    if (beginsNew) yield { first, last: period.last };
    const others = beginsNew ? { first: period.first, last: addDays(first, 1) } : period;
    yield* (await reader.partsOf(others, this.#faults >= FAULTS_BEFORE_PARTS)).parts;
  }

  /** Reads the last two days, and of the others those that the list counts otherwise than it showed them. */
  async #readChanged(
    { startedAt }: ClaimedSweep,
    period: ListPeriod,
    { readAt, dates }: WholeReading & { dates: ListDates },
    now: Date,
  ): Promise<void> {
    const { db } = this.#deps;
    const recent = recentSince(now, dates.zone);
    const reader = this.#readerFor({ begunAt: startedAt, renewedBefore: readAt, isWhole: false });
    const days = requestFor({ first: recent, last: period.last }, dates);
    await this.#read(days, () => reader.readNew(days));
    await this.#openListed();
    if (this.#skipped !== null) return;
    const changed = await findChangedDays(
      { first: addDays(period.first, 1), last: addDays(recent, -1) },
      {
        dates,
        perDay: await listedPerDay(db, this.#key, readAt, dates),
        count: (requested) => reader.countPaid(requested),
      },
    );
    let agrees = changed !== null;
    for (const days of changed ?? [])
      agrees = (await this.#readChangedDays(days, dates, { readAt, now })) && agrees;
    if (!agrees) await distrustCounts(db, this.#key);
    await this.#openListed();
  }

  /** @returns whether what is stored afterwards is what the list shows. */
  async #readChangedDays(
    days: ListPeriod,
    dates: ListDates,
    { readAt, now }: { readAt: Date; now: Date },
  ): Promise<boolean> {
    const { db } = this.#deps;
    const shown = new Set<string>();
    const reader = this.#readerFor({ begunAt: now, renewedBefore: EVER, isWhole: true }, shown);
    const before = this.#unproven.length;
    await this.#read(days, () => reader.readPaid(requestFor(days, dates)));
    if (this.#unproven.length > before) return true;
    await forgetUnlisted(db, this.#key, days, dates, [...shown]);
    return countOn(await listedPerDay(db, this.#key, readAt, dates), days) === shown.size;
  }

  #readerFor(storing: Omit<StoringReading, keyof ListKey>, shown?: Set<string>): ListReader {
    const { db, onConfirmations } = this.#deps;
    return new ListReader({
      source: this.#source,
      collectionId: this.#key.collectionId,
      call: (call) => this.#pace.call(call),
      signal: this.#signal,
      onPage: () => {
        this.#pages += 1;
      },
      sink: async (payments, ids) => {
        for (const id of shown === undefined ? [] : ids) shown?.add(id);
        await noteListed(db, { ...this.#key, ...storing }, payments);
        // Puts the provider's own ids ahead of unknown ones.
        if ((await promote(db, this.#source.name, ids)) > 0) onConfirmations();
      },
    });
  }

  async #read(days: ListPeriod, read: () => Promise<Unproven[]>): Promise<void> {
    const unproven = await read().catch((error: unknown) => {
      if (!(error instanceof ListUnreadable) || error.next !== "retry" || this.#faults < FAULTS_BEFORE_PARTS)
        throw error;
      this.#skipped ??= error;
      return [{ ...days, why: error.message }];
    });
    this.#unproven.push(...unproven);
  }

  /** Decides on the payments listed since the last time. */
  async #openListed(): Promise<void> {
    const { db } = this.#deps;
    const next = await databaseClock(db);
    for (;;) {
      const given = { ...this.#key, since: this.#decidedSince, after: this.#decidedTo, limit: BATCH };
      const rows = await readListed(db, given);
      const last = rows.at(-1);
      if (last === undefined) break;
      await this.#open(rows.map(this.#candidateOf), last.invoiceId);
    }
    this.#decidedSince = next;
    this.#decidedTo = NIL_UUID;
    const { claimed } = this.#target;
    if (claimed !== null) await saveDecided(db, claimed, { since: next });
    failpoint("sweep went on");
  }

  readonly #candidateOf = ({ label, counted, ...row }: ListedRow): Candidate => ({
    ...row,
    saysPaid: label === null ? counted : classOfStatus(label, statusSets(this.#source)) === "paid",
  });

  async #open(candidates: readonly Candidate[], decidedTo: string): Promise<void> {
    const { db, onConfirmations, onEvents = () => undefined } = this.#deps;
    const { counts, ...queued } = await openMissing(db, this.#target, candidates, decidedTo);
    for (const name of ["listed", "missing", "opened"] as const) this.#counts[name] += counts[name];
    this.#decidedTo = decidedTo;
    if (queued.confirmations) onConfirmations();
    if (queued.events) onEvents();
  }
}
