import { Router } from "express";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { messageOf } from "../kit/errors.ts";
import type { Metrics } from "../kit/metrics.ts";

export interface HealthRoutesOptions {
  db: Kysely<Tables>;
  metrics: Metrics;
  /** Becomes true once the process has been asked to stop. */
  isStopping: () => boolean;
}

/** `/healthz`: the process lives. `/readyz`: it can record, asked of Postgres itself. `/metrics`: for Prometheus. */
export function healthRoutes({ db, metrics, isStopping }: HealthRoutesOptions): Router {
  const router = Router();
  router.get("/healthz", (_request, response) => {
    response.type("text/plain").send("alive\n");
  });
  router.get("/readyz", async (_request, response) => {
    try {
      if (isStopping()) throw new Error("stopping");
      const { rows } = await sql<{
        readOnly: boolean;
      }>`select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "readOnly" from (select from callback limit 1) as log right join (select 1) as one on true`.execute(
        db,
      );
      if (rows[0]?.readOnly === true) throw new Error("the database is read-only");
      response.type("text/plain").send("ready: callbacks can be recorded\n");
    } catch (error) {
      response
        .status(503)
        .type("text/plain")
        .send(`not ready: callbacks cannot be recorded (${messageOf(error)})\n`);
    }
  });
  router.get("/metrics", async (_request, response) => {
    await refreshGauges(db, metrics);
    response.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
  return router;
}

/** The gauges that only the database knows. When it is away they are left out, which is what monitoring should see. */
async function refreshGauges(db: Kysely<Tables>, metrics: Metrics): Promise<void> {
  for (const gauge of [
    metrics.oldestQuestionSeconds,
    metrics.oldestEventSeconds,
    metrics.questions,
    metrics.events,
  ])
    gauge.reset();
  try {
    const { rows: ages } = await sql<{ question: number | null; event: number | null }>`
      select
        (select extract(epoch from clock_timestamp() - min(due_at)) from confirmation where state in ('due', 'claimed') and due_at <= now())::float8 as question,
        (select extract(epoch from clock_timestamp() - min(created_at)) from event where state in ('due', 'claimed'))::float8 as event`.execute(
      db,
    );
    metrics.oldestQuestionSeconds.set(Math.max(0, ages[0]?.question ?? 0));
    metrics.oldestEventSeconds.set(Math.max(0, ages[0]?.event ?? 0));
    const { rows: questions } = await sql<{ state: string; verdict: string | null; count: number }>`
      select state, verdict, count(*) as count from confirmation group by state, verdict`.execute(db);
    for (const { state, verdict, count } of questions)
      metrics.questions.set({ state, verdict: verdict ?? "none" }, count);
    const { rows: events } = await sql<{
      state: string;
      count: number;
    }>`select state, count(*) as count from event group by state`.execute(db);
    for (const { state, count } of events) metrics.events.set({ state }, count);
  } catch {
    for (const gauge of [metrics.oldestQuestionSeconds, metrics.oldestEventSeconds]) gauge.remove();
  }
}
