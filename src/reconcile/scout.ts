import { type Kysely, sql } from "kysely";
import { CollectionApiError } from "../collection-api/index.ts";
import type { Tables } from "../database/tables.ts";
import { messageOf } from "../kit/errors.ts";
import type { Logger } from "../kit/log.ts";
import { ListPace, SourcePaused } from "./list-pace.ts";
import { addDays, dayOf, type ListPeriod, nextStep, periodFor } from "./list-period.ts";
import { ALL_TYPES, PaidList } from "./paid-list.ts";
import type { ReconcileSource } from "./reconcile-source.ts";
import { slowSource } from "./slow-source.ts";

export interface ScoutOptions {
  db: Kysely<Tables>;
  sources: readonly ReconcileSource[];
  log: Logger;
  /** Called after ids changed lane. */
  onQuestions: () => void;
}

/** The same share of "not found" that throttles the lane (confirm policy, the unknown lane). */
const FLOODED = 0.5;

/** From the end of one round to the next, in ms, in whichever process; a scout that died is replaced after the second. */
const REST_MS = 2_000;
const LEASE_MS = 60_000;

/** At most two pages a second, so that a flood of callbacks does not become a flood of lists. */
const PAGE_GAP_MS = 500;

/** How often the pass looks whether a lane is flooded, in ms. */
const LOOK_MS = 1_000;

const BATCH = 100;

/**
 * While a source's unknown lane is flooded, finds the genuine ids in it without asking for each: it reads the
 * provider's list, newest days first, and ids found there change to the known lane. Only ids that are asked
 * about already: the scout opens no question.
 */
export class Scout {
  readonly #options: ScoutOptions;
  // How far each collection's older days are read, by source and collection; a restart begins anew.
  readonly #older = new Map<string, ListPeriod | null>();

  constructor(options: ScoutOptions) {
    this.#options = options;
  }

  /** One round for each flooded source. @returns when to look again, in ms; null when no source has a list. */
  async pass(stop: AbortSignal): Promise<number | null> {
    const readable = this.#options.sources.filter((source) => source.collectionIds.length > 0);
    await Promise.all(readable.map((source) => this.#scout(source, stop)));
    return readable.length === 0 ? null : LOOK_MS;
  }

  async #scout(source: ReconcileSource, stop: AbortSignal): Promise<void> {
    const { db, log } = this.#options;
    const now = await this.#takeRound(source);
    if (now === null) return;
    try {
      for (const collectionId of source.collectionIds) await this.#round(source, collectionId, now, stop);
    } catch (error) {
      if (stop.aborted || error instanceof SourcePaused) return;
      if (!(error instanceof CollectionApiError)) throw error;
      await slowSource(db, source.name, error);
      log.warn(
        { source: source.name, error: messageOf(error) },
        "the list could not be read for ids of the unknown lane; it is tried again",
      );
    } finally {
      await this.#nextRoundIn(source.name, REST_MS);
    }
  }

  /** The newest days in every round, and one step further back. */
  async #round(source: ReconcileSource, collectionId: string, now: Date, stop: AbortSignal): Promise<void> {
    const newest = { first: addDays(dayOf(now), -1), last: addDays(dayOf(now), 2) };
    await this.#read(source, collectionId, newest, stop);
    const key = `${source.name} ${collectionId}`;
    const all = periodFor({ from: now, to: now }, source.lookbackMs);
    const { step, rest } = nextStep(
      this.#older.get(key) ?? { first: all.first, last: addDays(newest.first, 1) },
    );
    await this.#read(source, collectionId, step, stop);
    this.#older.set(key, rest);
  }

  async #read(
    source: ReconcileSource,
    collectionId: string,
    period: ListPeriod,
    signal: AbortSignal,
  ): Promise<void> {
    const { db } = this.#options;
    const { name, ratePerSecond } = source;
    const pace = new ListPace({ db, source: name, ratePerSecond, gapMs: PAGE_GAP_MS, signal });
    const beforePage = async () => {
      await pace.turn();
      await this.#nextRoundIn(name, LEASE_MS);
    };
    const list = new PaidList({ source, collectionId, beforePage, signal });
    let ids: string[] = [];
    for await (const { payment } of list.read(period, ALL_TYPES)) {
      ids.push(payment.invoiceId);
      if (ids.length < BATCH) continue;
      const full = ids;
      ids = [];
      await this.#promote(name, full);
    }
    await this.#promote(name, ids);
  }

  async #promote(source: string, invoiceIds: readonly string[]): Promise<void> {
    const { rows } = await sql`
      update confirmation set lane = 'known', due_at = least(due_at, clock_timestamp())
      from (
        select invoice_id from confirmation
        where source = ${source} and lane = 'unknown' and state = 'due' and invoice_id = any(${invoiceIds}::uuid[])
        order by invoice_id for update) as found
      where confirmation.source = ${source} and confirmation.invoice_id = found.invoice_id
      returning confirmation.invoice_id`.execute(this.#options.db);
    if (rows.length > 0) this.#options.onQuestions();
  }

  async #nextRoundIn(source: string, ms: number): Promise<void> {
    await sql`update source set scout_at = clock_timestamp() + ${ms}::float8 * interval '1 ms' where name = ${source}`.execute(
      this.#options.db,
    );
  }

  /** Postgres' time, if this process is the one to scout now. */
  async #takeRound(source: ReconcileSource): Promise<Date | null> {
    const { rows } = await sql<{ now: Date }>`
      update source set scout_at = clock_timestamp() + ${LEASE_MS}::float8 * interval '1 ms'
      where name = ${source.name} and unknown_share > ${FLOODED} and scout_at <= clock_timestamp()
        and paused_by is null and opens_at <= clock_timestamp()
        and exists (select from confirmation where source = ${source.name} and lane = 'unknown' and state = 'due')
      returning clock_timestamp() as now`.execute(this.#options.db);
    return rows[0]?.now ?? null;
  }
}
