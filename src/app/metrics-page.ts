import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { Metrics } from "../kit/metrics.ts";
import { within } from "../kit/within.ts";
import { type Backlog, readBacklog } from "../operate/backlog.ts";

/** Whoever asks more often gets the same page: what it counts in the database is no stranger's to repeat. */
const KEPT_MS = 1_000;

/** How long the database may take; later it is left out. */
const COUNTING_MS = 1_000;

/** How often the event loop's delay is looked at. */
const RESOLUTION_MS = 10;

const QUANTILES = { "0.5": 50, "0.99": 99, "1": 100 } as const;

/** The page for Prometheus; one is made at a time, and kept for a second. `stop` ends the watch of the event loop. */
export class MetricsPage {
  readonly #db: Kysely<Tables>;
  readonly #metrics: Metrics;
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #page: Promise<string> | null = null;
  #keptUntil = 0;
  #counting: Promise<Backlog | null> | null = null;

  constructor(db: Kysely<Tables>, metrics: Metrics) {
    this.#db = db;
    this.#metrics = metrics;
    this.#delay.enable();
  }

  get contentType(): string {
    return this.#metrics.registry.contentType;
  }

  text(): Promise<string> {
    if (this.#page === null || performance.now() >= this.#keptUntil) {
      this.#keptUntil = Number.POSITIVE_INFINITY;
      this.#page = this.#make().finally(() => {
        this.#keptUntil = performance.now() + KEPT_MS;
      });
    }
    return this.#page;
  }

  stop(): void {
    this.#delay.disable();
  }

  async #make(): Promise<string> {
    this.#counting ??= readBacklog(this.#db)
      .catch(() => null)
      .finally(() => {
        this.#counting = null;
      });
    this.#show(await within(this.#counting, COUNTING_MS, null));
    for (const [quantile, percentile] of Object.entries(QUANTILES))
      this.#metrics.eventLoopDelay.set({ quantile }, this.#delay.percentile(percentile) / 1e9);
    this.#delay.reset();
    return await this.#metrics.registry.metrics();
  }

  /** null when the database is away: then there are no such gauges, which is what monitoring should see. */
  #show(backlog: Backlog | null): void {
    const { oldestConfirmationSeconds, oldestEventSeconds, confirmations, outbox } = this.#metrics;
    confirmations.reset();
    outbox.reset();
    oldestConfirmationSeconds.remove();
    oldestEventSeconds.remove();
    if (backlog === null) return;
    oldestConfirmationSeconds.set(backlog.oldestConfirmationSeconds);
    oldestEventSeconds.set(backlog.oldestEventSeconds);
    for (const { state, verdict, count } of backlog.confirmations)
      confirmations.set({ state, verdict: verdict ?? "none" }, count);
    for (const { state, count } of backlog.outbox) outbox.set({ state }, count);
  }
}
