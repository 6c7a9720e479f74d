import { setTimeout as wait } from "node:timers/promises";
import type { Kysely } from "kysely";
import type { Alarms } from "../../database/alarms.ts";
import type { Tables } from "../../database/tables.ts";
import { backOffMs } from "../../kit/back-off.ts";
import { RelayError } from "../../kit/errors.ts";
import { listGapMs, takeTurn } from "../../upstreams/source-row.ts";
import { Upstream } from "../../upstreams/upstream.ts";
import { SOURCE } from "../../upstreams/upstream-kind.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { ListUnreadable } from "./list-unreadable.ts";

/** The longest wait before the source is checked again, in ms. */
const LOOK_AGAIN_MS = 1_000;

const TRY_AGAIN = { firstMs: 200, capMs: 5_000 };

export interface ListPaceOptions {
  db: Kysely<Tables>;
  alarms: Alarms;
  source: ReconcileSource;
  /** The least time between two calls, in ms; 0 by default. */
  gapMs?: number;
  /** How often a call is tried before its refusal is thrown; once by default. */
  tries?: number;
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
    const { source, gapMs = 0 } = options;
    this.#gapMs = Math.max(gapMs, listGapMs(source.ratePerSecond));
  }

  /**
   * Makes a call when its turn has come, and again while its refusal is temporary and there are tries left.
   * @param call throws ListUnreadable when the provider refuses.
   * @throws ListUnreadable; SourcePaused; AbortError once the signal aborts.
   */
  async call<Result>(call: () => Promise<Result>): Promise<Result> {
    const { tries = 1, signal } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      await this.#turn();
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof ListUnreadable)) throw error;
        await this.#slowDown(error);
        if (attempt >= tries || error.next !== "retry" || signal.aborted) throw error;
        await wait(backOffMs(attempt, TRY_AGAIN), undefined, { signal });
      }
    }
  }

  /** A 429 applies to the whole source: nothing is asked before the time that it gives. */
  async #slowDown({ refusal }: ListUnreadable): Promise<void> {
    if (refusal.kind !== "rate_limited") return;
    const { db, alarms, source } = this.#options;
    const { retryAfterMs, error } = refusal;
    const upstream = new Upstream({ db, alarms, kind: SOURCE, name: source.name });
    await upstream.note({ kind: "slow_down", retryAfterMs, error });
  }

  async #turn(): Promise<void> {
    const { db, source, signal } = this.#options;
    await wait(Math.max(0, this.#nextAt - performance.now()), undefined, { signal });
    for (;;) {
      signal.throwIfAborted();
      const { granted, nextInMs, standing } = await takeTurn(db, source.name, source.ratePerSecond);
      if (standing !== null && standing.pausedBy !== null)
        throw new SourcePaused(source.name, standing.pausedBy);
      if (granted) break;
      const opensInMs = standing === null ? 0 : Math.max(standing.opensInMs, standing.retryInMs);
      await wait(Math.min(Math.max(opensInMs, nextInMs, 20), LOOK_AGAIN_MS), undefined, { signal });
    }
    this.#nextAt = performance.now() + this.#gapMs;
  }
}
