import { setTimeout as wait } from "node:timers/promises";
import type { Kysely } from "kysely";
import type { Tables } from "../../database/tables.ts";
import { RelayError } from "../../kit/errors.ts";
import { takeTurn } from "../../upstreams/source-row.ts";

/**
 * Reading lists uses at most this share of a source's rate, so that live confirmations never stand behind it.
 */
const SHARE = 0.25;

/** The longest wait until the source is looked at again, in ms. */
const LOOK_AGAIN_MS = 1_000;

export interface ListPaceOptions {
  db: Kysely<Tables>;
  source: string;
  /** The source's limit for all its calls together; null for none. */
  ratePerSecond: number | null;
  /** The least time between two calls, in ms; 0 when left out. */
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
 * Lets calls go out no faster than the source allows: not while it is paused or backs off, and out of the
 * same bucket as confirmations, whatever process they are asked in.
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

  /** Resolves when one call may go out. @throws SourcePaused; AbortError once the signal aborts. */
  async turn(): Promise<void> {
    const { db, source, ratePerSecond, signal } = this.#options;
    await wait(Math.max(0, this.#nextAt - performance.now()), undefined, { signal });
    for (;;) {
      signal.throwIfAborted();
      const { granted, standing } = await takeTurn(db, source, ratePerSecond);
      if (standing !== null && standing.pausedBy !== null) throw new SourcePaused(source, standing.pausedBy);
      if (granted) break;
      const opensInMs = standing === null ? 0 : Math.max(standing.opensInMs, standing.retryInMs);
      await wait(Math.min(Math.max(opensInMs, 20), LOOK_AGAIN_MS), undefined, { signal });
    }
    this.#nextAt = performance.now() + this.#gapMs;
  }
}
