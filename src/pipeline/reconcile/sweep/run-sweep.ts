import type { Alarms } from "../../../platform/alarms/index.ts";
import type { Database } from "../../../platform/database/index.ts";
import { failpoint } from "../../../platform/process/index.ts";
import { readClock, readMoment } from "../../../platform/upstreams/index.ts";
import { addDays, HOUR_MS, NIL_UUID } from "../../../platform/values/index.ts";
import type { Lease } from "../../../platform/worker/index.ts";
import { classOfStatus, promote, readStoredPayments, statusSets } from "../../confirm/index.ts";
import {
  countOn,
  type ListDates,
  type ListPeriod,
  periodFor,
  recentSince,
  requestFor,
} from "../list/list-dates.ts";
import { ListPace, readCollectionName } from "../list/list-pace.ts";
import { ListReader, ListUnreadable, type OnPages, type Unproven } from "../list/list-reader.ts";
import {
  countListed,
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
import type { SweepTerms } from "./decide-opening.ts";
import { readContext, type WaitingPayment, waitingOf } from "./known-payments.ts";
import { type Candidate, decideAll, openMissing, type SweepTarget } from "./open-missing.ts";
import {
  alarmsAtEnd,
  type ClaimedSweep,
  finishSweep,
  type SweepCounts,
  saveDecided,
  sweeps,
  type WholeBecause,
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
  /** Why everything was read; null: only what is new, and what the list counts otherwise than before. */
  whole: WholeBecause | null;
  /** Requests for pages that this run made. */
  pages: number;
}

/** The payments of a sweep on request that still have no accepted event. */
export interface Waiting {
  waiting: WaitingPayment[];
  waitingInAll: number;
}

const BATCH = 500;
const NAMED_LIMIT = 1_000;

/** After this many faults in a row, days that cannot be read are skipped so that others are. */
const FAULTS_BEFORE_PARTS = ALARMING_FAULTS - 1;

/** A list is read whole at least this often, in ms: the daily certificate does it too. */
const WHOLE_EVERY_MS = 25 * HOUR_MS;

const EVER = new Date(0);

/**
 * Reads the list for a claimed sweep, opens what is missing, and finishes it. Progress and counts are saved,
 * so that another process continues there after a crash. Days that could not be shown to be complete are
 * noted, and the other days are still read. A sweep that reads nothing is not over.
 * @returns the counts of the whole sweep, and for one on request also what still waits.
 * @throws ListUnreadable, SourcePaused or LeaseLost; confirmations opened by then stay open.
 */
export function runSweep(
  deps: SweepDeps,
  source: ReconcileSource,
  sweep: ClaimedSweep,
  signal: AbortSignal,
  onProgress: OnPages = () => undefined,
): Promise<SweepResult & Waiting> {
  return sweeps.whileHeld({ ...deps, run: sweep, stop: signal }, (signal) =>
    new SweepRun(deps, source, sweep, { signal, onProgress }).run(),
  );
}

class SweepRun {
  readonly #deps: SweepDeps;
  readonly #source: ReconcileSource;
  readonly #sweep: ClaimedSweep;
  readonly #key: ListKey;
  readonly #target: SweepTarget;
  readonly #pace: ListPace;
  readonly #signal: AbortSignal;
  readonly #onProgress: OnPages;
  readonly #unproven: Unproven[] = [];
  #pages = 0;
  /** Payments listed before that are decided. */
  #decidedSince: string;
  #decidedTo = NIL_UUID;
  /** Of the first days that were skipped. */
  #skipped: ListUnreadable | null = null;

  constructor(
    deps: SweepDeps,
    source: ReconcileSource,
    sweep: ClaimedSweep,
    { signal, onProgress }: { signal: AbortSignal; onProgress: OnPages },
  ) {
    const { db, alarms } = deps;
    const { collectionId, decidedSince } = sweep;
    this.#deps = deps;
    this.#source = source;
    this.#sweep = sweep;
    this.#key = { source: source.name, collectionId };
    this.#target = { source, sweep, terms: termsOf(sweep) };
    this.#signal = signal;
    this.#onProgress = onProgress;
    this.#decidedSince = decidedSince ?? EVER.toISOString();
    this.#pace = new ListPace({ db, alarms, source, signal });
  }

  async run(): Promise<SweepResult & Waiting> {
    const { db, alarms } = this.#deps;
    const { kind, window } = this.#sweep;
    const period = periodFor(window, this.#source.lookbackMs);
    const { now } = await readClock(db, this.#source.name);
    const known = kind === "automatic" ? await readWholeReading(db, this.#key) : null;
    const whole = whyWhole(this.#sweep, known, now);
    if (whole !== null) await this.#readWhole(period, now);
    else await this.#readChanged(period, known as WholeReading & { dates: ListDates }, now);
    // The provider does not answer at all.
    if (this.#skipped !== null && this.#pages === 0) throw this.#skipped;
    const waiting = kind === "back_fill" ? await this.#openWindow(now) : { waiting: [], waitingInAll: 0 };
    failpoint("sweep to be finished");
    const alarmsChanged = alarmsAtEnd(this.#sweep, this.#unproven);
    const { readAt } = (await readWholeReading(db, this.#key)) ?? { readAt: EVER };
    const listed = kind === "automatic" ? await countListed(db, this.#key, readAt) : null;
    const end = { listed, whole, unproven: this.#unproven, alarms: alarmsChanged };
    const { cleared, ...counts } = await finishSweep(db, this.#sweep, end);
    failpoint("sweep finished");
    alarms.notifyAll({ raised: alarmsChanged.raises ?? [], cleared });
    return { ...counts, ...waiting, whole, pages: this.#pages, unproven: this.#unproven };
  }

  /** Reads everything, the newest days first, and opens what is missing after each part. */
  async #readWhole(period: ListPeriod, now: Date): Promise<void> {
    const { db } = this.#deps;
    const { kind, startedAt } = this.#sweep;
    const isAutomatic = kind === "automatic";
    const reader = this.#readerFor({ begunAt: startedAt, renewedBefore: startedAt, isWhole: true });
    for await (const part of this.#partsOf(reader, period, now)) {
      await this.#read(part, () => reader.readWhole(part));
      if (isAutomatic) await this.#openListed();
    }
    if (isAutomatic && this.#unproven.length === 0)
      await noteWholeReading(db, this.#key, {
        ...{ reader, period },
        readAt: startedAt,
        zone: this.#source.timeZone,
      });
  }

  async *#partsOf(reader: ListReader, period: ListPeriod, now: Date): AsyncGenerator<ListPeriod> {
    const { kind, faults } = this.#sweep;
    const recent = { first: recentSince(now, this.#source.timeZone), last: period.last };
    // Automatic sweeps open new payments before they decide on the rest.
    const beginsNew = kind === "automatic" && recent.first > period.first;
    if (beginsNew) yield recent;
    const others = beginsNew ? { first: period.first, last: addDays(recent.first, 1) } : period;
    yield* (await reader.partsOf(others, faults >= FAULTS_BEFORE_PARTS)).parts;
  }

  /** Reads the last two days, and of the others those that the list counts otherwise than it showed them. */
  async #readChanged(
    period: ListPeriod,
    { readAt, dates }: WholeReading & { dates: ListDates },
    now: Date,
  ): Promise<void> {
    const { db } = this.#deps;
    const { startedAt } = this.#sweep;
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
      onPage: (expected) => {
        this.#pages += 1;
        this.#onProgress(this.#pages, expected);
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
      if (
        !(error instanceof ListUnreadable) ||
        error.next !== "retry" ||
        this.#sweep.faults < FAULTS_BEFORE_PARTS
      )
        throw error;
      this.#skipped ??= error;
      return [{ ...days, why: error.message, isUnread: true }];
    });
    this.#unproven.push(...unproven);
  }

  /** Decides on the payments listed since the last time. */
  async #openListed(): Promise<void> {
    const { db } = this.#deps;
    const next = await readMoment(db);
    for (;;) {
      const given = { ...this.#key, since: this.#decidedSince, after: this.#decidedTo, limit: BATCH };
      const rows = await readListed(db, given);
      const last = rows.at(-1);
      if (last === undefined) break;
      await this.#open(rows.map(this.#candidateOf), last.invoiceId);
    }
    this.#decidedSince = next;
    this.#decidedTo = NIL_UUID;
    await saveDecided(db, this.#sweep, { since: next });
    failpoint("sweep went on");
  }

  /**
   * Decides on the listed payments of the window and on its stored ones, whether or not the list shows them.
   * @returns what still waits then.
   */
  async #openWindow(began: Date): Promise<Waiting> {
    const { db } = this.#deps;
    const { decidedTo } = this.#sweep;
    // First the payments listed since, among those that an interrupted run had decided.
    for (let after = NIL_UUID; decidedTo !== null && after < decidedTo; ) {
      const rows = await readListed(db, { ...this.#key, since: began.toISOString(), after, limit: BATCH });
      const before = rows.filter(({ invoiceId }) => invoiceId <= decidedTo);
      if (before.length > 0) await this.#open(before.map(this.#candidateOf), decidedTo);
      after = rows.at(-1)?.invoiceId ?? decidedTo;
    }
    for await (const candidates of this.#candidatesOfWindow(decidedTo ?? NIL_UUID))
      await this.#open(candidates, candidates.at(-1)?.invoiceId ?? NIL_UUID);
    const facts = await readContext(db, this.#source);
    const waiting: WaitingPayment[] = [];
    let waitingInAll = 0;
    for await (const candidates of this.#candidatesOfWindow(NIL_UUID))
      for (const { counts, opening, known } of await decideAll(db, this.#target, candidates)) {
        const isSettled = opening === "answered" || opening === "recorded";
        const one = counts && !isSettled ? waitingOf(known, facts) : null;
        if (one === null) continue;
        waitingInAll += 1;
        if (waiting.length < NAMED_LIMIT) waiting.push(one);
      }
    return { waiting, waitingInAll };
  }

  /**
   * In id order. Of the stored ones each belongs to its own collection, by the provider's answer, and those that
   * belong to none to the first, uncounted.
   */
  async *#candidatesOfWindow(from: string): AsyncGenerator<Candidate[], void, undefined> {
    const { db } = this.#deps;
    const { window, startedAt } = this.#sweep;
    const { collectionIds, name, paidStatuses } = this.#source;
    const names = new Map<string, string | null>();
    for (const id of collectionIds)
      names.set(id, await readCollectionName(this.#source, this.#pace, id, this.#signal));
    const own = names.get(this.#key.collectionId) ?? null;
    const others = new Set([...names.values()].filter((name) => name !== null && name !== own));
    const takesRest = own === null || collectionIds[0] === this.#key.collectionId;
    const terms = { ...window, statuses: paidStatuses };
    const since = startedAt.toISOString();
    for (let after = from; ; ) {
      const listed = await readListed(db, { ...this.#key, since, after, limit: BATCH });
      const stored = await readStoredPayments(db, { ...terms, source: name, after, limit: BATCH });
      const byId = new Map<string, Candidate | null>();
      for (const { invoiceId, paidAt, collectionName } of stored) {
        const isOwn = own !== null && collectionName === own;
        const isOurs = isOwn || (takesRest && !others.has(collectionName));
        const facts = { paidAt, paidUntil: null, createdAt: null, saysPaid: true, digest: null };
        byId.set(invoiceId, isOurs ? { invoiceId, ...facts, isOwn } : null);
      }
      for (const row of listed) byId.set(row.invoiceId, this.#candidateOf(row));
      // Of each kind the next ones were read, so that the first of both together are complete.
      const ids = [...byId.keys()].sort().slice(0, BATCH);
      const last = ids.at(-1);
      if (last === undefined) return;
      const candidates = ids.flatMap((id) => byId.get(id) ?? []);
      if (candidates.length > 0) yield candidates;
      after = last;
    }
  }

  readonly #candidateOf = ({ label, counted, ...row }: ListedRow): Candidate => {
    const saysPaid = label === null ? counted : classOfStatus(label, statusSets(this.#source)) === "paid";
    return { ...row, saysPaid, isOwn: true };
  };

  async #open(candidates: readonly Candidate[], decidedTo: string): Promise<void> {
    const { db, onConfirmations, onEvents = () => undefined } = this.#deps;
    const queued = await openMissing(db, this.#target, candidates, decidedTo);
    this.#decidedTo = decidedTo;
    if (queued.confirmations) onConfirmations();
    if (queued.events) onEvents();
  }
}

/** Why the whole list is to be read; null when what is new and what has changed is enough. */
function whyWhole({ kind }: ClaimedSweep, known: WholeReading | null, now: Date): WholeBecause | null {
  if (kind === "back_fill") return "asked_for";
  if (known === null) return "first";
  if (known.dates === null) return "uncounted";
  return known.readAt.getTime() < now.getTime() - WHOLE_EVERY_MS ? "daily" : null;
}

/** An automatic sweep repairs everything that the list shows, not only its window. */
function termsOf({
  kind,
  window,
  firstServedAt,
  publish,
  hasEarlier,
}: ClaimedSweep): Omit<SweepTerms, "now"> {
  const common = { firstServedAt, seenBefore: hasEarlier };
  return kind === "automatic"
    ? { ...common, from: firstServedAt ?? window.from, to: null, publishEarlier: false, asksAgain: false }
    : { ...common, ...window, publishEarlier: publish, asksAgain: true };
}
