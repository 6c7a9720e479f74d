import { Router } from "express";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { messageOf } from "../kit/errors.ts";
import type { Metrics } from "../kit/metrics.ts";
import { readBacklog } from "../operate/backlog.ts";

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
  const ages = [metrics.oldestConfirmationSeconds, metrics.oldestEventSeconds];
  for (const gauge of [...ages, metrics.confirmations, metrics.outbox]) gauge.reset();
  try {
    const backlog = await readBacklog(db);
    metrics.oldestConfirmationSeconds.set(backlog.oldestConfirmationSeconds);
    metrics.oldestEventSeconds.set(backlog.oldestEventSeconds);
    for (const { state, verdict, count } of backlog.confirmations)
      metrics.confirmations.set({ state, verdict: verdict ?? "none" }, count);
    for (const { state, count } of backlog.outbox) metrics.outbox.set({ state }, count);
  } catch {
    for (const gauge of ages) gauge.remove();
  }
}
