import { monitorEventLoopDelay } from "node:perf_hooks";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { Metrics } from "../kit/metrics.ts";
import { within } from "../kit/within.ts";

/** Whoever asks more often gets the same page: what it counts in the database is no stranger's to repeat. */
const KEPT_MS = 1_000;

/** How long the database may take; later it is left out. */
const COUNTING_MS = 1_000;

/** How often the event loop's delay is looked at. */
const RESOLUTION_MS = 10;

const QUANTILES = { "0.5": 50, "0.99": 99, "1": 100 } as const;

interface Counts {
  ages: { question: number | null; event: number | null }[];
  questions: { state: string; verdict: string | null; count: number }[];
  events: { state: string; count: number }[];
}

/** The page for Prometheus; one is made at a time, and kept for a second. `stop` ends the watch of the event loop. */
export class MetricsPage {
  readonly #db: Kysely<Tables>;
  readonly #metrics: Metrics;
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #page: Promise<string> | null = null;
  #keptUntil = 0;
  #counting: Promise<Counts | null> | null = null;

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
    this.#counting ??= this.#count().finally(() => {
      this.#counting = null;
    });
    this.#show(await within(this.#counting, COUNTING_MS, null));
    for (const [quantile, percentile] of Object.entries(QUANTILES))
      this.#metrics.eventLoopDelay.set({ quantile }, this.#delay.percentile(percentile) / 1e9);
    this.#delay.reset();
    return await this.#metrics.registry.metrics();
  }

  /** null when the database is away: then there are no such gauges, which is what monitoring should see. */
  #show(counts: Counts | null): void {
    const { oldestQuestionSeconds, oldestEventSeconds, questions, events } = this.#metrics;
    questions.reset();
    events.reset();
    oldestQuestionSeconds.remove();
    oldestEventSeconds.remove();
    if (counts === null) return;
    oldestQuestionSeconds.set(Math.max(0, counts.ages[0]?.question ?? 0));
    oldestEventSeconds.set(Math.max(0, counts.ages[0]?.event ?? 0));
    for (const { state, verdict, count } of counts.questions)
      questions.set({ state, verdict: verdict ?? "none" }, count);
    for (const { state, count } of counts.events) events.set({ state }, count);
  }

  async #count(): Promise<Counts | null> {
    try {
      const { rows: ages } = await sql<Counts["ages"][number]>`
        select
          (select extract(epoch from clock_timestamp() - min(due_at))
            from confirmation where state in ('due', 'claimed') and due_at <= now())::float8 as question,
          (select extract(epoch from clock_timestamp() - min(created_at))
            from event where state in ('due', 'claimed'))::float8 as event`.execute(this.#db);
      const { rows: questions } = await sql<Counts["questions"][number]>`
        select state, verdict, count(*) as count from confirmation group by state, verdict`.execute(this.#db);
      const { rows: events } = await sql<Counts["events"][number]>`
        select state, count(*) as count from event group by state`.execute(this.#db);
      return { ages, questions, events };
    } catch {
      return null;
    }
  }
}
