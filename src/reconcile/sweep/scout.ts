import type { RawBuilder } from "kysely";
import type { Alarms } from "../../alarms/alarms.ts";
import { promote, unknownIdsWait } from "../../confirm/queue/change-confirmations.ts";
import type { Database } from "../../database/tables.ts";
import { messageOf } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";
import { addDays, dayOf } from "../../kit/time.ts";
import { freeScoutTurns, nextScoutTurnIn, takeScoutTurn } from "../../upstreams/source-row.ts";
import { ListPace, SourcePaused } from "../list/list-pace.ts";
import { type ListPeriod, nextStep, periodFor } from "../list/list-period.ts";
import { ListReader, type ListSink, ListUnreadable, takenOnce } from "../list/list-reader.ts";
import { ALL_TYPES } from "../list/listed-payment.ts";
import type { ReconcileSource } from "../reconcile-source.ts";

export interface ScoutOptions {
  db: Database;
  source: ReconcileSource;
  alarms: Alarms;
  log: Logger;
  onConfirmations: () => void;
}

/**
 * From the end of one round to the next, in ms, in any process; the second is how long until a scout that
 * died is replaced.
 */
const REST_MS = 2_000;
const LEASE_MS = 60_000;

/** At most two pages a second, so that a flood of callbacks does not turn into a flood of list requests. */
const PAGE_GAP_MS = 500;

/** The sources whose list a scout may look through. @param sources an array of names. */
export const sourcesToScout = (sources: RawBuilder<unknown>): RawBuilder<unknown> =>
  freeScoutTurns(sources, LEASE_MS, unknownIdsWait);

/**
 * While its source is flooded with unknown ids, finds the genuine ones without asking about each: it reads
 * the provider's list, newest days first, and marks ids found there as known. It opens no confirmations.
 */
export class Scout {
  readonly #options: ScoutOptions;
  // How far back each collection was read; a restart starts over.
  readonly #older = new Map<string, ListPeriod | null>();

  constructor(options: ScoutOptions) {
    this.#options = options;
  }

  /**
   * One round, if the source is flooded.
   * @returns null: a look says when the next one is due (`sourcesToScout`).
   */
  async pass(stop: AbortSignal): Promise<null> {
    const { db, source, log } = this.#options;
    const now = await takeScoutTurn(db, source.name, LEASE_MS, unknownIdsWait);
    if (now === null) return null;
    try {
      for (const collectionId of source.collectionIds) await this.#round(collectionId, now, stop);
    } catch (error) {
      if (stop.aborted || error instanceof SourcePaused) return null;
      if (!(error instanceof ListUnreadable)) throw error;
      log.warn(
        { source: source.name, error: messageOf(error) },
        "the list could not be read for unknown ids; it will be retried",
      );
    } finally {
      await nextScoutTurnIn(db, source.name, REST_MS);
    }
    return null;
  }

  /** Reads the newest days in every round, and one step further back. */
  async #round(collectionId: string, now: Date, stop: AbortSignal): Promise<void> {
    const newest = { first: addDays(dayOf(now), -1), last: addDays(dayOf(now), 2) };
    await this.#read(collectionId, newest, stop);
    const all = periodFor({ from: now, to: now }, this.#options.source.lookbackMs);
    const { step, rest } = nextStep(
      this.#older.get(collectionId) ?? { first: all.first, last: addDays(newest.first, 1) },
    );
    await this.#read(collectionId, step, stop);
    this.#older.set(collectionId, rest);
  }

  async #read(collectionId: string, period: ListPeriod, signal: AbortSignal): Promise<void> {
    const { db, source, alarms } = this.#options;
    const pace = new ListPace({ db, alarms, source, gapMs: PAGE_GAP_MS, signal });
    const call = <Result>(page: () => Promise<Result>) =>
      pace.call(async () => {
        await nextScoutTurnIn(db, source.name, LEASE_MS);
        return await page();
      });
    const sink = this.#promoting();
    await new ListReader({ source, collectionId, sink, call, signal }).readWhole(period, ALL_TYPES);
  }

  // It need not be complete: a missed id is still asked about, only later.
  #promoting(): ListSink {
    const { db, source, onConfirmations } = this.#options;
    return () => {
      const freshOf = takenOnce();
      return async (ids) => {
        const fresh = freshOf(ids);
        if ((await promote(db, source.name, fresh)) > 0) onConfirmations();
        return fresh.length;
      };
    };
  }
}
