import { setTimeout as wait } from "node:timers/promises";
import type { Kysely } from "kysely";
import type { Tables } from "../../database/tables.ts";
import { RelayError } from "../../kit/errors.ts";
import { listGapMs, takeTurn } from "../../upstreams/source-row.ts";

/** The longest wait before the source is checked again, in ms. */
const LOOK_AGAIN_MS = 1_000;

export interface ListPaceOptions {
  db: Kysely<Tables>;
  source: string;
  /** The rate limit of the source, for all calls together; null for none. */
  ratePerSecond: number | null;
  /** The least time between two calls, in ms; 0 by default. */
  gapMs?: number;
  signal: AbortSignal;
}

/** The source is paused, so its lists cannot be read. */
export class SourcePaused extends RelayError {
  constructor(source: string, pausedBy: string) {
    const why = pausedBy === "operator" ? "by an operator" : "because the provider refuses its key";
    super(`The source "${source}" is paused ${why}: its lists are not read until that is over.`, {
      next: "pause",
    });
  }
}

/**
 * Limits calls to what the source allows: none while it is paused or backing off, and otherwise from the same
 * token bucket as confirmations, in all processes.
 */
export class ListPace {
  readonly #options: ListPaceOptions;
  readonly #gapMs: number;
  #nextAt = 0;

  constructor(options: ListPaceOptions) {
    this.#options = options;
    const { ratePerSecond, gapMs = 0 } = options;
    this.#gapMs = Math.max(gapMs, listGapMs(ratePerSecond));
  }

  /** Resolves when one call may be made. @throws SourcePaused; AbortError once the signal aborts. */
  async turn(): Promise<void> {
    const { db, source, ratePerSecond, signal } = this.#options;
    await wait(Math.max(0, this.#nextAt - performance.now()), undefined, { signal });
    for (;;) {
      signal.throwIfAborted();
      const { granted, nextInMs, standing } = await takeTurn(db, source, ratePerSecond);
      if (standing !== null && standing.pausedBy !== null) throw new SourcePaused(source, standing.pausedBy);
      if (granted) break;
      const opensInMs = standing === null ? 0 : Math.max(standing.opensInMs, standing.retryInMs);
      await wait(Math.min(Math.max(opensInMs, nextInMs, 20), LOOK_AGAIN_MS), undefined, { signal });
    }
    this.#nextAt = performance.now() + this.#gapMs;
  }
}
