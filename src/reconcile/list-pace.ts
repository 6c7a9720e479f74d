import { setTimeout as wait } from "node:timers/promises";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { RelayError } from "../kit/errors.ts";

/** Reading lists uses at most this share of a source's rate, so that live questions never stand behind it. */
const SHARE = 0.25;

/** The longest wait until the gate is looked at again, in ms. */
const LOOK_AGAIN_MS = 1_000;

export interface ListPaceOptions {
  db: Kysely<Tables>;
  source: string;
  /** The source's limit for all its calls together; null for none. */
  ratePerSecond: number | null;
  /** The least time between two pages, in ms; 0 when left out. */
  gapMs?: number;
  signal: AbortSignal;
}

/** The source is paused: its lists are not read until it is resumed. */
export class SourcePaused extends RelayError {
  constructor(source: string, pausedBy: string) {
    const why = pausedBy === "operator" ? "by an operator" : "because the provider refuses its key";
    super(`The source "${source}" is paused ${why}: its lists are not read until that is over.`, {
      next: "pause",
    });
  }
}

/**
 * Lets pages be asked for no faster than the source allows: behind its gate (pause, back-off, Retry-After), and
 * out of the same bucket as the confirming questions, whatever process they are asked in.
 */
export class ListPace {
  readonly #options: ListPaceOptions;
  readonly #gapMs: number;
  #nextAt = 0;

  constructor(options: ListPaceOptions) {
    this.#options = options;
    const { ratePerSecond, gapMs = 0 } = options;
    this.#gapMs = Math.max(gapMs, ratePerSecond === null ? 0 : 1_000 / (ratePerSecond * SHARE));
  }

  /** Resolves when one page may be asked for. @throws SourcePaused; AbortError once the signal aborts. */
  async turn(): Promise<void> {
    const { source, signal } = this.#options;
    await wait(Math.max(0, this.#nextAt - performance.now()), undefined, { signal });
    for (;;) {
      const gate = await this.#ask();
      if (gate.pausedBy !== null) throw new SourcePaused(source, gate.pausedBy);
      if (gate.granted) break;
      await wait(Math.min(Math.max(gate.opensInMs, 20), LOOK_AGAIN_MS), undefined, { signal });
    }
    this.#nextAt = performance.now() + this.#gapMs;
  }

  // A source that was never served has no row, and so neither gate nor bucket.
  async #ask(): Promise<{ granted: boolean; pausedBy: string | null; opensInMs: number }> {
    const { db, source, ratePerSecond } = this.#options;
    const open = sql<boolean>`paused_by is null and opens_at <= clock_timestamp()`;
    const { rows } = await sql<{ granted: boolean; pausedBy: string | null; opensInMs: number }>`
      ${ratePerSecond === null ? sql`with` : sql`with spent as (${spend(source, ratePerSecond, open)}),`}
      gate as (select * from source where name = ${source})
      select ${ratePerSecond === null ? open : sql`exists (select from spent)`} as granted, paused_by as "pausedBy",
        case when opens_at = '-infinity' then 0 else extract(epoch from opens_at - clock_timestamp()) * 1000 end::float8 as "opensInMs"
      from gate`.execute(db);
    return rows[0] ?? { granted: true, pausedBy: null, opensInMs: 0 };
  }
}

// The bucket may go one below nothing: confirming leaves less than one in it, and would starve this otherwise.
function spend(source: string, ratePerSecond: number, open: RawBuilder<boolean>): RawBuilder<unknown> {
  const size = Math.max(1, ratePerSecond / 5);
  const refilled = sql`least(${size}::float8, allowance + greatest(0, extract(epoch from clock_timestamp() - allowance_at)) * ${ratePerSecond}::float8)`;
  return sql`
    update source set allowance = ${refilled} - 1, allowance_at = clock_timestamp()
    where name = ${source} and ${open} and ${refilled} >= 0
    returning name`;
}
