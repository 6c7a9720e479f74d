import { setTimeout as wait } from "node:timers/promises";
import type { Alarms } from "../../../platform/alarms/index.ts";
import type { Database } from "../../../platform/database/index.ts";
import { RelayError } from "../../../platform/errors/index.ts";
import { backOffMs } from "../../../platform/process/index.ts";
import { isHealthy, SOURCE, takeTurn, Upstream } from "../../../platform/upstreams/index.ts";
import { storableText } from "../../../platform/values/index.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { ListUnreadable } from "./list-reader.ts";

/** The longest wait before the source is checked again, in ms. */
const LOOK_AGAIN_MS = 1_000;

/** How often a call is tried: of ten thousand pages one always fails. */
const TRIES = 2;

const TRY_AGAIN = { firstMs: 200, capMs: 5_000 };

export interface ListPaceOptions {
  db: Database;
  alarms: Alarms;
  source: ReconcileSource;
  signal: AbortSignal;
}

export class SourcePaused extends RelayError {
  constructor(source: string, pausedBy: string) {
    const why = pausedBy === "operator" ? "by an operator" : "because the provider refuses its key";
    super(`The source "${source}" is paused ${why}: its lists are not read until that is over.`, {
      next: "pause",
    });
  }
}

/**
 * Limits calls to the source's allowance: no call while it is paused or backing off, and otherwise from the
 * same token bucket as confirmations, in all processes.
 */
export class ListPace {
  readonly #options: ListPaceOptions;
  readonly #upstream: Upstream;

  constructor(options: ListPaceOptions) {
    this.#options = options;
    const { db, alarms, source } = options;
    this.#upstream = new Upstream({ db, alarms, kind: SOURCE, name: source.name });
  }

  /**
   * Makes a call when its turn has come, and again while its refusal is temporary: twice at most, and
   * not where the provider asks for a longer wait.
   * @param call throws ListUnreadable when the provider refuses.
   * @throws ListUnreadable; SourcePaused; AbortError once the signal aborts.
   */
  async call<Result>(call: () => Promise<Result>): Promise<Result> {
    const { signal } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      await this.#turn();
      try {
        const result = await call();
        // Ends the state that 429s left on the source.
        await this.#upstream.note({ kind: "list_read" });
        return result;
      } catch (error) {
        if (!(error instanceof ListUnreadable)) throw error;
        await this.#slowDown(error);
        const { refusal } = error;
        const isLong = refusal.kind === "rate_limited" && (refusal.retryAfterMs ?? 0) > TRY_AGAIN.capMs;
        if (attempt >= TRIES || error.next !== "retry" || isLong || signal.aborted) throw error;
        await wait(backOffMs(attempt, TRY_AGAIN), undefined, { signal });
      }
    }
  }

  /** A 429 applies to the whole source: nothing is asked before the time that it gives. */
  async #slowDown({ refusal }: ListUnreadable): Promise<void> {
    if (refusal.kind !== "rate_limited") return;
    const { retryAfterMs, error } = refusal;
    await this.#upstream.note({ kind: "slow_down", retryAfterMs, error });
  }

  async #turn(): Promise<void> {
    const { db, source, signal } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      const { granted, nextInMs, upstream } = await takeTurn(db, source.name, source.ratePerSecond);
      if (upstream !== null && upstream.pausedBy !== null)
        throw new SourcePaused(source.name, upstream.pausedBy);
      this.#upstream.saw(upstream === null || isHealthy(upstream));
      if (granted) return;
      const opensInMs = upstream === null ? 0 : Math.max(upstream.opensInMs, upstream.retryInMs);
      await wait(Math.min(Math.max(opensInMs, nextInMs, 20), LOOK_AGAIN_MS), undefined, { signal });
    }
  }
}

export const readCollectionName = (
  source: ReconcileSource,
  pace: ListPace,
  collectionId: string,
  signal: AbortSignal,
): Promise<string | null> =>
  pace.call(async () => {
    const answer = await source.provider.getCollection(collectionId, { signal });
    if (answer.kind !== "found") throw new ListUnreadable(`Collection ${collectionId}`, answer);
    const { collectionName } = answer.collection;
    return collectionName === null ? null : storableText(collectionName);
  });
