import { monitorEventLoopDelay } from "node:perf_hooks";
import { collectDefaultMetrics, Registry } from "prom-client";
import { readVitalSigns, type VitalSigns } from "../operations/index.ts";
import { ALARM_NAMES, alarmsAbout } from "../platform/alarms/index.ts";
import type { PoolUsage } from "../platform/database/index.ts";
import type { Metrics } from "../platform/metrics/index.ts";
import { programVersion, within } from "../platform/process/index.ts";
import { type ListedUpstream, STATES } from "../platform/upstreams/index.ts";
import type { RelayParts } from "./compose.ts";

/** Requests cannot make the relay count in the database more often than that. */
const COUNT_EVERY_MS = 1_000;

/** How long a page waits for the database; what comes later is on the next one. */
const COUNTING_MS = 1_000;

const RESOLUTION_MS = 10;

const QUANTILES = { "0.5": 50, "0.99": 99, "1": 100 } as const;

/** Node's own metrics of the process: watched once, however many relays run in it. */
const ofProcess = new Registry();
let isCollected = false;

function collectProcess(): void {
  if (!isCollected) collectDefaultMetrics({ register: ofProcess });
  isCollected = true;
}

/** The page for Prometheus. While Postgres is away its values stay, their age beside them. */
export class MetricsPage {
  readonly #parts: RelayParts;
  readonly #pools: Readonly<Record<string, () => PoolUsage>>;
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #counting: Promise<void> | null = null;
  #countedAt: number | null = null;
  #countsAgainAt = 0;

  constructor(parts: RelayParts, pools: Readonly<Record<string, () => PoolUsage>>) {
    this.#parts = parts;
    this.#pools = pools;
    this.#delay.enable();
    const { metrics } = parts;
    // Before the first count these have no value, but a gauge would say 0.
    for (const gauge of [
      metrics.oldestConfirmationSeconds,
      metrics.oldestEventSeconds,
      metrics.quarantined,
      metrics.databaseValuesAge,
    ])
      gauge.remove();
    metrics.build.set({ version: programVersion(), node: process.version }, 1);
    collectProcess();
  }

  get contentType(): string {
    return this.#parts.metrics.registry.contentType;
  }

  stop(): void {
    this.#delay.disable();
  }

  async text(): Promise<string> {
    if (this.#counting === null && performance.now() >= this.#countsAgainAt)
      this.#counting = this.#count().finally(() => {
        this.#counting = null;
      });
    if (this.#counting !== null) await within(this.#counting, COUNTING_MS, null);
    this.#showProcess();
    const pages = [this.#parts.metrics.registry, ofProcess].map((registry) => registry.metrics());
    return (await Promise.all(pages)).join("\n");
  }

  async #count(): Promise<void> {
    const { db, metrics, sources, serves } = this.#parts;
    const begunAt = performance.now();
    try {
      showVitalSigns(metrics, await readVitalSigns(db, { sources, topics: serves.topics }));
      this.#countedAt = begunAt;
    } catch {
      // The age of the last values says so.
    }
    this.#countsAgainAt = performance.now() + COUNT_EVERY_MS;
  }

  #showProcess(): void {
    const { metrics, database } = this.#parts;
    metrics.databaseUp.set(database.isUp ? 1 : 0);
    // While these last they have no row.
    for (const alarm of alarmsAbout("database"))
      metrics.alarmsOpen.set({ alarm }, database.openAlarms.some((open) => open === alarm) ? 1 : 0);
    if (this.#countedAt !== null)
      metrics.databaseValuesAge.set((performance.now() - this.#countedAt) / 1_000);
    for (const [pool, usage] of Object.entries(this.#pools)) {
      const { busy, idle, wanted } = usage();
      metrics.connections.set({ pool, state: "busy" }, busy);
      metrics.connections.set({ pool, state: "idle" }, idle);
      metrics.connectionsWanted.set({ pool }, wanted);
    }
    for (const [quantile, percentile] of Object.entries(QUANTILES))
      metrics.eventLoopDelay.set({ quantile }, this.#delay.percentile(percentile) / 1e9);
    this.#delay.reset();
  }
}

/** Sets the gauges to what was counted in Postgres; they keep it until the next time. */
function showVitalSigns(metrics: Metrics, signs: VitalSigns): void {
  showBacklog(metrics, signs);
  const open = new Map(signs.alarms.map(({ name, count }) => [name, count]));
  for (const alarm of ALARM_NAMES) metrics.alarmsOpen.set({ alarm }, open.get(alarm) ?? 0);
  metrics.upstreams.reset();
  showUpstreams(metrics, "confirm", signs.sources);
  showUpstreams(metrics, "publish", signs.topics);
  showProofs(metrics, signs);
}

function showBacklog(metrics: Metrics, { backlog, dead, quarantined }: VitalSigns): void {
  const { oldestConfirmationSeconds, oldestEventSeconds, confirmations, outbox } = metrics;
  confirmations.reset();
  outbox.reset();
  oldestConfirmationSeconds.set(backlog.oldestConfirmationSeconds);
  oldestEventSeconds.set(backlog.oldestEventSeconds);
  for (const { state, verdict, count } of backlog.confirmations)
    confirmations.set({ state, verdict: verdict ?? "none" }, count);
  for (const { state, count } of backlog.outbox) outbox.set({ state }, count);
  metrics.dead.set({ kind: "confirmation" }, dead.confirmation);
  metrics.dead.set({ kind: "event" }, dead.event);
  metrics.quarantined.set(quarantined);
}

function showUpstreams(metrics: Metrics, work: string, standings: readonly ListedUpstream[]): void {
  for (const { name: upstream, state: actual } of standings)
    for (const state of STATES) metrics.upstreams.set({ work, upstream, state }, state === actual ? 1 : 0);
}

function showProofs(metrics: Metrics, { sweeps, certificates, firstServed, unproven }: VitalSigns): void {
  const { lastSweep, lastCertificate, unprovenDays } = metrics;
  lastSweep.reset();
  unprovenDays.reset();
  lastCertificate.reset();
  const oldest = new Map<string, number>();
  for (const { source, finishedAt } of sweeps) {
    const at = finishedAt === null ? 0 : finishedAt.getTime() / 1_000;
    oldest.set(source, Math.min(oldest.get(source) ?? at, at));
  }
  for (const [source, at] of oldest) lastSweep.set({ source }, at);
  for (const { source, result, finishedAt } of certificates)
    lastCertificate.set({ source, result }, finishedAt.getTime() / 1_000);
  // Or no alert would fire for a source that never has one.
  for (const { source, at } of firstServed)
    if (at !== null && !certificates.some((one) => one.source === source))
      lastCertificate.set({ source, result: "none" }, at.getTime() / 1_000);
  for (const { source } of certificates) unprovenDays.set({ source }, 0);
  for (const { source, days } of unproven) unprovenDays.inc({ source }, days);
}
