import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import { openQuestions } from "../record/open-questions.ts";
import { decideOpening, type SweepTerms } from "./decide-opening.ts";
import { holdLease, LeaseLost } from "./hold-lease.ts";
import { readKnownPayments } from "./known-payments.ts";
import { ListPace } from "./list-pace.ts";
import { daysBetween, type ListPeriod, nextStep, periodFor } from "./list-period.ts";
import { ALL_TYPES, type ListedPayment, PaidList } from "./paid-list.ts";
import type { ReconcileSource } from "./reconcile-source.ts";
import { type ClaimedSweep, finishSweep, keepProgress, type SweepCounts } from "./sweep-store.ts";

export interface SweepDeps {
  db: Kysely<Tables>;
  leaseMs: number;
  /** Called after each commit that opened questions. */
  onQuestions: () => void;
}

export interface SweepProgress {
  /** What is left of the list; null when all of it is read. */
  rest: ListPeriod | null;
  /** In days of the list. */
  read: number;
  total: number;
}

const BATCH = 200;

/**
 * Reads what is left of one claimed sweep, opens what is missing, and finishes it. How far it is, is kept after
 * each step of the list, so that whoever takes it up after a crash goes on there.
 * @returns the counts of the whole sweep.
 * @throws CollectionApiError, SourcePaused, or LeaseLost; what was opened by then stays open.
 */
export function runSweep(
  deps: SweepDeps,
  source: ReconcileSource,
  sweep: ClaimedSweep,
  signal: AbortSignal,
  onProgress: (progress: SweepProgress) => void = () => undefined,
): Promise<SweepCounts> {
  const run = new SweepRun(deps, source, sweep, signal);
  return holdLease(deps.db, "sweep", sweep.leaseToken, deps.leaseMs, () => run.run(onProgress));
}

const nothing = (): SweepCounts => ({ listed: 0, missing: 0, opened: 0, called: 0 });

class SweepRun {
  readonly #deps: SweepDeps;
  readonly #source: ReconcileSource;
  readonly #sweep: ClaimedSweep;
  readonly #list: PaidList;
  readonly #terms: SweepTerms;
  readonly #seen = new Set<string>();
  #counts = nothing();

  constructor(deps: SweepDeps, source: ReconcileSource, sweep: ClaimedSweep, signal: AbortSignal) {
    this.#deps = deps;
    this.#source = source;
    this.#sweep = sweep;
    const pace = new ListPace({
      db: deps.db,
      source: source.name,
      ratePerSecond: source.ratePerSecond,
      signal,
    });
    this.#list = new PaidList({
      source,
      collectionId: sweep.collectionId,
      beforePage: () => pace.turn(),
      signal,
    });
    this.#terms = termsOf(sweep);
  }

  async run(onProgress: (progress: SweepProgress) => void): Promise<SweepCounts> {
    const { db } = this.#deps;
    const whole = periodFor(this.#sweep.window, this.#source.lookbackMs);
    let rest: ListPeriod | null = this.#sweep.rest ?? whole;
    while (rest !== null) {
      const { step, rest: left }: ReturnType<typeof nextStep> = nextStep(rest);
      try {
        await this.#read(step);
      } catch (error) {
        // The step is read again, and what was opened shows as found then: only now can it be counted.
        await keepProgress(db, this.#sweep, { ...this.#counts, listed: 0 }, rest);
        throw error;
      }
      if (!(await keepProgress(db, this.#sweep, this.#counts, left))) throw new LeaseLost();
      this.#counts = nothing();
      rest = left;
      const total = daysBetween(whole.first, whole.last);
      onProgress({ rest, total, read: total - (rest === null ? 0 : daysBetween(rest.first, rest.last)) });
    }
    const counts = await finishSweep(db, this.#sweep);
    if (counts === null) throw new LeaseLost();
    return counts;
  }

  async #read(step: ListPeriod): Promise<void> {
    let batch: ListedPayment[] = [];
    try {
      for await (const { payment } of this.#list.read(step, ALL_TYPES)) {
        if (this.#seen.has(payment.invoiceId)) continue;
        this.#seen.add(payment.invoiceId);
        batch.push(payment);
        if (batch.length < BATCH) continue;
        const full = batch;
        batch = [];
        await this.#open(full);
      }
    } finally {
      // A list that breaks off has told the truth as far as it came.
      await this.#open(batch);
    }
  }

  async #open(payments: readonly ListedPayment[]): Promise<void> {
    if (payments.length === 0) return;
    const { db, onQuestions } = this.#deps;
    const source = this.#source.name;
    const known = await readKnownPayments(
      db,
      source,
      payments.map((payment) => payment.invoiceId),
    );
    const byId = new Map(known.map((entry) => [entry.invoiceId, entry]));
    const toOpen: Record<"open" | "open_to_record", string[]> = { open: [], open_to_record: [] };
    for (const payment of payments) {
      const entry = byId.get(payment.invoiceId);
      if (entry === undefined) continue;
      const opening = decideOpening(payment, entry, this.#terms);
      if (opening === "elsewhere") continue;
      this.#counts.listed += 1;
      if (opening === "complete" || opening === "recorded") continue;
      this.#counts.missing += 1;
      if (entry.question?.openedBy === "callback") this.#counts.called += 1;
      if (opening !== "waiting") toOpen[opening].push(payment.invoiceId);
    }
    const opened = toOpen.open.length + toOpen.open_to_record.length;
    if (opened === 0) return;
    const questions = (ids: string[]) => ids.map((invoiceId) => ({ invoiceId, source }));
    const options = { openedBy: "reconcile", lane: "known" } as const;
    await openQuestions(db, questions(toOpen.open), options);
    await openQuestions(db, questions(toOpen.open_to_record), { ...options, recordOnly: true });
    this.#counts.opened += opened;
    onQuestions();
  }
}

/** An automatic sweep heals all that the list shows it, not only its window: reading it costs nothing more. */
function termsOf({ kind, window, firstServedAt, publish }: ClaimedSweep): SweepTerms {
  return kind === "automatic"
    ? { from: firstServedAt ?? window.from, to: null, firstServedAt, publishEarlier: false }
    : { ...window, firstServedAt, publishEarlier: publish };
}
