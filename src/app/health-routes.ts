import type { RequestHandler, Router } from "express";
import express from "express";
import type { MetricsPage } from "./metrics-page.ts";
import type { Readiness } from "./readiness.ts";

/** `/healthz`: the process lives. */
export const aliveRoute: RequestHandler = (request, response, next) => {
  if (request.path !== "/healthz" || !["GET", "HEAD"].includes(request.method)) return next();
  response.type("text/plain").send("alive\n");
};

export interface OpsRoutesOptions {
  readiness: Readiness;
  metricsPage: MetricsPage;
  /** Becomes true once the database has been looked at and found right. */
  isStarted: () => boolean;
  /** Becomes true once the process has been asked to stop. */
  isStopping: () => boolean;
}

/** `/readyz`: it can record. `/metrics`: for Prometheus. */
export function opsRoutes({ readiness, metricsPage, isStarted, isStopping }: OpsRoutesOptions): Router {
  const router = express.Router();
  router.get("/readyz", async (_request, response) => {
    const isReady = isStarted() && !isStopping() && (await readiness.isReady());
    const why = isStarted() ? "" : " yet: the start waits for the database";
    response
      .status(isReady ? 200 : 503)
      .type("text/plain")
      .send(
        isReady ? "ready: callbacks can be recorded\n" : `not ready: callbacks cannot be recorded${why}\n`,
      );
  });
  router.get("/metrics", async (_request, response) => {
    response.type(metricsPage.contentType).send(await metricsPage.text());
  });
  return router;
}
