import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Kysely } from "kysely";
import type { PoolUsage } from "../database/connect.ts";
import type { Tables } from "../database/tables.ts";
import type { Metrics } from "../kit/metrics.ts";
import { programVersion } from "../kit/program-version.ts";
import { within } from "../kit/within.ts";
import { readVitalSigns, type Watched } from "../operate/vital-signs.ts";
import { showVitalSigns } from "./show-vital-signs.ts";

/** How long a page is kept: no stranger can make the relay count in the database more often than that. */
const KEPT_MS = 1_000;

/** How long a page waits for the database; what comes later is on the next one. */
const COUNTING_MS = 1_000;

/**
 * After a count nothing is counted for this many times its duration, so counting takes a tenth of the time at
 * most.
 */
const REST = 9;

/** How often the event loop's delay is looked at. */
const RESOLUTION_MS = 10;

const QUANTILES = { "0.5": 50, "0.99": 99, "1": 100 } as const;

export interface MetricsPageOptions {
  db: Kysely<Tables>;
  metrics: Metrics;
  watched: Watched;
  /** Postgres as this process sees it. */
  database: { readonly isUp: boolean; readonly isAlarming: boolean };
  pools: Readonly<Record<string, () => PoolUsage>>;
}

/**
 * The page for Prometheus; one is made at a time, and kept for a second. While Postgres is away the values
 * counted in it stay as they were, with their age beside them. `stop` ends the watch of the event loop.
 */
export class MetricsPage {
  readonly #options: MetricsPageOptions;
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #page: Promise<string> | null = null;
  #keptUntil = 0;
  #counting: Promise<void> | null = null;
  #countedAt: number | null = null;
  #countsAgainAt = 0;

  constructor(options: MetricsPageOptions) {
    this.#options = options;
    this.#delay.enable();
    const { build, startTime, ...metrics } = options.metrics;
    // Before the first count these have no value, but a gauge would say 0.
    for (const gauge of [
      metrics.oldestConfirmationSeconds,
      metrics.oldestEventSeconds,
      metrics.quarantined,
      metrics.databaseValuesAge,
    ])
      gauge.remove();
    build.set({ version: programVersion(), node: process.version }, 1);
    startTime.set(Math.round(Date.now() / 1_000 - process.uptime()));
  }

  get contentType(): string {
    return this.#options.metrics.registry.contentType;
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
    if (this.#counting === null && performance.now() >= this.#countsAgainAt)
      this.#counting = this.#count().finally(() => {
        this.#counting = null;
      });
    if (this.#counting !== null) await within(this.#counting, COUNTING_MS, null);
    this.#showProcess();
    return await this.#options.metrics.registry.metrics();
  }

  async #count(): Promise<void> {
    const { db, metrics, watched } = this.#options;
    const begunAt = performance.now();
    try {
      showVitalSigns(metrics, await readVitalSigns(db, watched));
      this.#countedAt = begunAt;
    } catch {
      // The age of the last values says so.
    }
    this.#countsAgainAt = performance.now() + REST * (performance.now() - begunAt);
  }

  #showProcess(): void {
    const { metrics, pools, database } = this.#options;
    metrics.databaseUp.set(database.isUp ? 1 : 0);
    // While it lasts there is no row of it.
    metrics.alarmsOpen.set({ alarm: "database_away" }, database.isAlarming ? 1 : 0);
    if (this.#countedAt !== null)
      metrics.databaseValuesAge.set((performance.now() - this.#countedAt) / 1_000);
    for (const [pool, usage] of Object.entries(pools)) {
      const { busy, idle, wanted } = usage();
      metrics.connections.set({ pool, state: "busy" }, busy);
      metrics.connections.set({ pool, state: "idle" }, idle);
      metrics.connectionsWanted.set({ pool }, wanted);
    }
    metrics.residentMemory.set(process.memoryUsage.rss());
    for (const [quantile, percentile] of Object.entries(QUANTILES))
      metrics.eventLoopDelay.set({ quantile }, this.#delay.percentile(percentile) / 1e9);
    this.#delay.reset();
  }
}
