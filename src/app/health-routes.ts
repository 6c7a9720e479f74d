import express, { type Request, type RequestHandler, type Router } from "express";
import { holderOf } from "../api/admin-tokens.ts";
import { isLoopback } from "../kit/addresses.ts";
import type { AdminToken } from "../kit/admin-token.ts";
import type { Secret } from "../kit/secret.ts";
import type { DatabaseWatch } from "./database-watch.ts";
import type { MetricsPage } from "./metrics-page.ts";

/** `/healthz`: the process lives. */
export const aliveRoute: RequestHandler = (request, response, next) => {
  if (request.path !== "/healthz" || !["GET", "HEAD"].includes(request.method)) return next();
  response.type("text/plain").send("alive\n");
};

interface MetricsAccess {
  /** METRICS_TOKEN. */
  token: Secret | undefined;
  adminTokens: readonly AdminToken[];
  /** Whether the page is on PORT, which strangers reach. */
  isPublic: boolean;
}

export interface OpsRoutesOptions {
  database: DatabaseWatch;
  metricsPage: MetricsPage;
  metricsAccess: MetricsAccess;
  /** Becomes true once the database has been looked at and found right. */
  isStarted: () => boolean;
  /** Becomes true once the process has been asked to stop. */
  isStopping: () => boolean;
}

/** `/readyz`: it can record. `/metrics`: for Prometheus. */
export function opsRoutes(options: OpsRoutesOptions): Router {
  const { database, metricsPage, metricsAccess, isStarted, isStopping } = options;
  const router = express.Router();
  router.get("/readyz", async (_request, response) => {
    const isReady = isStarted() && !isStopping() && (await database.isReady());
    const why = isStarted() ? "" : " yet: the start waits for the database";
    response
      .status(isReady ? 200 : 503)
      .type("text/plain")
      .send(
        isReady ? "ready: callbacks can be recorded\n" : `not ready: callbacks cannot be recorded${why}\n`,
      );
  });
  router.get("/metrics", async (request, response) => {
    if (!mayReadMetrics(request, metricsAccess)) {
      response.status(401).setHeader("www-authenticate", 'Bearer realm="invoice-relay"');
      const how = "Send METRICS_TOKEN, or one of ADMIN_TOKENS, as a bearer token; or scrape OPS_PORT.";
      return void response.type("text/plain").send(`${how}\n`);
    }
    response.type(metricsPage.contentType).send(await metricsPage.text());
  });
  return router;
}

/**
 * Whether a request may read /metrics, which names sources and topics: with METRICS_TOKEN or one of
 * ADMIN_TOKENS as a bearer token; where METRICS_TOKEN is not set, also on OPS_PORT and from this machine.
 */
function mayReadMetrics(request: Request, { token, adminTokens, isPublic }: MetricsAccess): boolean {
  const [, given] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
  if (given !== undefined && (token?.equals(given) === true || holderOf(adminTokens, given) !== null))
    return true;
  return token === undefined && (!isPublic || isFromThisMachine(request));
}

/** What a proxy adds: then the peer on this machine is the proxy, and the client is anybody. */
const FORWARDED = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
];

const isFromThisMachine = ({ socket, headers }: Request): boolean =>
  isLoopback(socket.remoteAddress) && FORWARDED.every((name) => headers[name] === undefined);
