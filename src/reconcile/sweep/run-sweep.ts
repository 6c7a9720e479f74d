import type { Alarms } from "../../alarms/alarms.ts";
import { readStoredPayments } from "../../confirm/invoices/read-invoices.ts";
import { promote } from "../../confirm/queue/change-confirmations.ts";
import { noteListed, openConfirmations } from "../../confirm/queue/open.ts";
import type { Database } from "../../database/tables.ts";
import { NIL_UUID } from "../../kit/ids.ts";
import { step } from "../../kit/step.ts";
import { addDays } from "../../kit/time.ts";
import { requeueEvents } from "../../publish/outbox.ts";
import { readClock } from "../../upstreams/source-row.ts";
import type { Lease } from "../../work/lease.ts";
import { ListPace, readCollectionName } from "../list/list-pace.ts";
import { daysRead, type ListPeriod, periodFor, stepsOf } from "../list/list-period.ts";
import {
  ListReader,
  type ListReaderOptions,
  type ListSink,
  ListUnreadable,
  takenOnce,
  type Unproven,
} from "../list/list-reader.ts";
import { ALL_TYPES, type ListedPayment } from "../list/listed-payment.ts";
import { ALARMING_FAULTS } from "../list-runs.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import {
  decideOpening,
  isDatedElsewhere,
  type ListedFacts,
  type Opening,
  type SweepTerms,
} from "./decide-opening.ts";
import { noteSwept, readKnownPayments } from "./known-payments.ts";
import { alarmsAtEnd } from "./sweep-alarm.ts";
import { type ClaimedSweep, finishSweep, type SweepCounts, saveSweepProgress, sweeps } from "./sweep-row.ts";

export interface SweepDeps {
  db: Database;
  alarms: Alarms;
  lease: Lease;
  onConfirmations: () => void;
  onEvents?: () => void;
}

export interface SweepProgress {
  /** What is left of the list; null when all is read. */
  rest: ListPeriod | null;
  /** In days of the list. */
  read: number;
  total: number;
}

interface SweepResult extends SweepCounts {
  /** The days whose list contradicted itself: what it showed was used, the rest is unknown. */
  unproven: Unproven[];
}

/** How often a page is tried before a sweep on request gives up. */
const TRIES = 5;

const BATCH = 500;

/** After this many faults in a row, an unreadable window is skipped so that others are read. */
const PATIENCE = ALARMING_FAULTS - 1;

/**
 * Reads the rest of a claimed sweep, opens what is missing, and finishes it. Progress is saved after each
 * step of the list, so that it can be continued after a crash. Days that could not be shown to be complete
 * are noted, and older days are read all the same. A sweep that reads nothing is not over.
 * @returns the counts of the whole sweep.
 * @throws ListUnreadable, SourcePaused or LeaseLost; what was opened by then stays open.
 */
export function runSweep(
  deps: SweepDeps,
  source: ReconcileSource,
  sweep: ClaimedSweep,
  signal: AbortSignal,
  onProgress: (progress: SweepProgress) => void = () => undefined,
): Promise<SweepResult> {
  return sweeps.whileHeld({ ...deps, run: sweep, stop: signal }, (signal) =>
    new SweepRun(deps, source, sweep, signal).run(onProgress),
  );
}

/** Nothing is missing, or only a person or the provider can do something about it. */
const WHOLE: ReadonlySet<Opening> = new Set(["complete", "recorded", "answered", "ask_again"]);

const isOpened = (opening: Opening): boolean =>
  opening === "open" || opening === "open_to_record" || opening === "ask_again";

class SweepRun {
  readonly #deps: SweepDeps;
  readonly #source: ReconcileSource;
  readonly #sweep: ClaimedSweep;
  readonly #reader: ListReader;
  readonly #readName: (collectionId: string) => Promise<string | null>;
  readonly #terms: Omit<SweepTerms, "now">;
  readonly #done = new Set<string>();
  #listed = 0;
  #unproven: readonly Unproven[];
  /** Of the first window that was skipped. */
  #skipped: ListUnreadable | null = null;

  constructor(deps: SweepDeps, source: ReconcileSource, sweep: ClaimedSweep, signal: AbortSignal) {
    const { db, alarms } = deps;
    const { kind, collectionId } = sweep;
    this.#deps = deps;
    this.#source = source;
    this.#sweep = sweep;
    this.#terms = termsOf(sweep);
    this.#unproven = sweep.unproven;
    const pace = new ListPace({ db, alarms, source, tries: kind === "back_fill" ? TRIES : 1, signal });
    this.#readName = (id) => readCollectionName(source, pace, id, signal);
    const call: ListReaderOptions["call"] = (page) => pace.call(page);
    const sink: ListSink = () => {
      const freshOf = takenOnce();
      return async (ids, paid) => {
        await this.#take(paid);
        const fresh = freshOf(ids);
        await this.#promote(fresh);
        return fresh.length;
      };
    };
    this.#reader = new ListReader({ source, collectionId, sink, call, signal });
  }

  async run(onProgress: (progress: SweepProgress) => void): Promise<SweepResult> {
    const { db, alarms } = this.#deps;
    const whole = periodFor(this.#sweep.window, this.#source.lookbackMs);
    if (this.#sweep.rest === null) {
      // The days that the last sweep could not prove complete and this one would not read anyway.
      const again = this.#unproven.filter(({ first }) => first < whole.first);
      this.#unproven = [];
      for (const days of again) await this.#read(days);
    }
    const again = daysToReadAgain(this.#sweep, whole, this.#source.lookbackMs);
    if (again !== null) {
      this.#unproven = this.#unproven.filter(({ first }) => first < again.first);
      for (const { step: days } of stepsOf(again)) await this.#read(days);
    }
    for (const { step: days, rest } of stepsOf(this.#sweep.rest ?? whole)) {
      await this.#read(days);
      if (this.#readNothing) continue;
      const progress = { listed: this.#listed, rest, unproven: this.#unproven };
      await saveSweepProgress(db, this.#sweep, progress);
      step("sweep went on");
      this.#listed = 0;
      onProgress({ rest, ...daysRead(whole, rest) });
    }
    if (this.#readNothing) {
      // What is left may never be readable: the next try begins anew, and takes it with what is.
      if (this.#sweep.faults > PATIENCE)
        await saveSweepProgress(db, this.#sweep, { listed: 0, rest: null, unproven: this.#sweep.unproven });
      throw this.#skipped;
    }
    if (this.#sweep.kind === "back_fill") await this.#repairStored();
    step("sweep to be finished");
    const change = alarmsAtEnd(this.#sweep, this.#unproven);
    const { cleared, ...counts } = await finishSweep(db, this.#sweep, change);
    step("sweep finished");
    alarms.notifyAll({ raised: change.raises ?? [], cleared });
    return counts;
  }

  /** Windows were skipped, and none was read: the provider does not answer at all. */
  get #readNothing(): boolean {
    return this.#skipped !== null && this.#reader.pages === 0;
  }

  async #read(days: ListPeriod): Promise<void> {
    const unproven = await this.#reader.readWhole(days, ALL_TYPES).catch((error: unknown) => {
      if (!(error instanceof ListUnreadable) || error.next !== "retry" || this.#sweep.faults < PATIENCE)
        throw error;
      this.#skipped ??= error;
      return [{ ...days, why: error.message, isUnread: true }];
    });
    this.#unproven = [...this.#unproven, ...unproven];
  }

  /**
   * Stored payments are repaired in the same way, whether or not the list shows them: each with its own
   * collection, by the provider's answer, and what belongs to none of them with the first, uncounted.
   */
  async #repairStored(): Promise<void> {
    const { from, to } = this.#sweep.window;
    const terms = { from, to, statuses: this.#source.paidStatuses };
    const names = new Map<string, string | null>();
    for (const id of this.#source.collectionIds) names.set(id, await this.#readName(id));
    const own = names.get(this.#sweep.collectionId) ?? null;
    const others = new Set([...names.values()].filter((name) => name !== null && name !== own));
    const takesRest = own === null || this.#source.collectionIds[0] === this.#sweep.collectionId;
    for (let after = NIL_UUID; ; ) {
      const stored = await readStoredPayments(this.#deps.db, this.#source.name, terms, after, BATCH);
      const last = stored.at(-1);
      if (last === undefined) return;
      const news = stored
        .filter(({ invoiceId, collectionName }) => !this.#done.has(invoiceId) && !others.has(collectionName))
        .map((one) => ({ ...one, paidUntil: null, createdAt: null, saysPaid: true, digest: null }));
      const isOwn = ({ collectionName }: (typeof news)[number]) => own !== null && collectionName === own;
      await this.#open(news.filter(isOwn));
      if (takesRest)
        await this.#open(
          news.filter((one) => !isOwn(one)),
          { areCounted: false },
        );
      after = last.invoiceId;
    }
  }

  /** Ids that the list shows are the provider's own: they need not wait behind those that nobody knows. */
  async #promote(invoiceIds: readonly string[]): Promise<void> {
    const { db, onConfirmations } = this.#deps;
    if ((await promote(db, this.#source.name, invoiceIds)) > 0) onConfirmations();
  }

  async #take(paid: readonly ListedPayment[]): Promise<void> {
    const news = new Map(
      paid.filter(({ invoiceId }) => !this.#done.has(invoiceId)).map((one) => [one.invoiceId, one]),
    );
    if (news.size > 0) await this.#open([...news.values()]);
    for (const invoiceId of news.keys()) this.#done.add(invoiceId);
  }

  /** Opens and counts in one transaction, so that a crash cannot count twice or not at all. */
  async #open(
    payments: readonly (ListedFacts & { invoiceId: string })[],
    { areCounted = true } = {},
  ): Promise<void> {
    if (payments.length === 0) return;
    const { db, onConfirmations, onEvents = () => undefined } = this.#deps;
    const { name, liveTopicArn: live, testTopicArn: test } = this.#source;
    // A sweep may take hours, and be continued after days.
    const terms = { ...this.#terms, now: (await readClock(db, name)).now };
    const listed = new Map(payments.map((payment) => [payment.invoiceId, payment]));
    const inWindow = (await readKnownPayments(db, this.#source, [...listed.keys()])).flatMap((known) => {
      const payment = listed.get(known.invoiceId);
      const opening = payment === undefined ? "elsewhere" : decideOpening(payment, known, terms);
      if (payment === undefined || opening === "elsewhere") return [];
      const counts = areCounted && !isDatedElsewhere(payment, known, terms);
      return {
        invoiceId: payment.invoiceId,
        digest: payment.digest,
        opening,
        counts,
        missing: counts && !WHOLE.has(opening),
        opened: isOpened(opening) || opening === "requeue",
        called: opening !== "complete" && known.confirmation?.openedBy === "callback",
      };
    });
    this.#listed += inWindow.filter(({ counts }) => counts).length;
    const isKept = this.#sweep.kind === "back_fill";
    const noted = inWindow.filter(({ counts, missing, opened }) => opened || missing || (counts && isKept));
    if (noted.length === 0) return;
    const toDo = new Set<Opening>();
    await db.transaction().execute(async (trx) => {
      const counted = noted.filter(({ counts }) => counts);
      const fresh = await noteSwept(trx, this.#sweep.id, counted);
      for (const { invoiceId, counts } of noted) if (!counts) fresh.add(invoiceId);
      const chosen = (wanted: Opening) =>
        noted.filter((one) => one.opening === wanted && fresh.has(one.invoiceId)).map((one) => one.invoiceId);
      const keys = (wanted: Opening, recordOnly = false) =>
        chosen(wanted).map((invoiceId) => ({ invoiceId, source: name, recordOnly }));
      const toOpen = [...keys("open"), ...keys("ask_again"), ...keys("open_to_record", true)];
      await openConfirmations(trx, toOpen, { openedBy: "reconcile", priority: "known" });
      await noteListed(
        trx,
        name,
        noted.filter((one) => isOpened(one.opening) && fresh.has(one.invoiceId)),
      );
      await requeueEvents(trx, name, { live, test }, chosen("requeue"));
      for (const one of noted) if (fresh.has(one.invoiceId)) toDo.add(one.opening);
      step("payments to be opened");
    });
    step("payments opened");
    if ([...toDo].some(isOpened)) onConfirmations();
    if (toDo.has("requeue")) onEvents();
  }
}

/**
 * An automatic sweep repairs everything that the list shows, not only its window, at no extra cost.
 */
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

/**
 * The days that a back-fill on request has read, and that may show more by now, because its period was not
 * over when it began; null when there are none.
 */
function daysToReadAgain(
  { kind, rest, startedAt, window }: ClaimedSweep,
  whole: ListPeriod,
  lookbackMs: number,
): ListPeriod | null {
  if (kind !== "back_fill" || rest === null || startedAt >= window.to) return null;
  const { first } = periodFor({ from: startedAt, to: window.to }, lookbackMs);
  const begin = addDays(rest.last, -1);
  if (first < begin) return { first: begin, last: whole.last };
  return { first, last: whole.last };
}
