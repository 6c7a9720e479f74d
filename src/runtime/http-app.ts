import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Router,
} from "express";
import { holderOf } from "../interfaces/admin-api/index.ts";
import type { ClaimedConfirmation } from "../pipeline/confirm/index.ts";
import {
  CallbackIntake,
  CallbackLog,
  callbackRoutes,
  comesFromBrowser,
  sendPage,
} from "../pipeline/receive/index.ts";
import type { Settings } from "../platform/config/index.ts";
import type { Database } from "../platform/database/index.ts";
import { faultOf } from "../platform/errors/index.ts";
import { isLoopback, withoutPorts } from "../platform/http/index.ts";
import type { Logger } from "../platform/log/index.ts";
import { OneForAll } from "../platform/process/index.ts";
import { readKeys } from "../platform/signing/index.ts";
import { newId } from "../platform/values/index.ts";
import type { Handoff } from "../platform/worker/index.ts";
import type { RelayParts } from "./compose.ts";
import type { DatabaseWatch } from "./database-watch.ts";
import type { MetricsPage } from "./metrics-page.ts";

/**
 * The Express app around the given handlers, routers among them. A request that they do not know gets 404; an error
 * is logged without the URL, which may hold a token.
 * @param trustedProxies addresses whose X-Forwarded-For is believed.
 */
export function httpApp(
  handlers: readonly RequestHandler[],
  log: Logger,
  trustedProxies: readonly string[] = [],
): Express {
  const app = express();
  app.set("trust proxy", [...trustedProxies]);
  app.disable("x-powered-by");
  app.disable("etag");
  app.use((request, _response, next) => {
    const { "x-forwarded-for": forwarded } = request.headers;
    // For Express an address with a port is no address. The raw headers are recorded.
    if (typeof forwarded === "string") request.headers["x-forwarded-for"] = withoutPorts(forwarded);
    next();
  });
  for (const handler of handlers) app.use(handler);
  app.use((request, response) => {
    response.status(404);
    if (comesFromBrowser(request)) return sendPage(response, "nowhere");
    response.type("text/plain").send("There is nothing here.\n");
  });
  const onError: ErrorRequestHandler = (error, request, response, _next) => {
    if (response.headersSent) {
      // The rest cannot follow, and its reader must notice. Express would print the error as it is.
      log.warn({ method: request.method, ...faultOf(error) }, "an answer broke off");
      return void request.socket.destroy();
    }
    const status = error instanceof URIError ? 400 : senderFaultOf(error);
    if (status !== null) return void response.status(status).type("text/plain").send(wordsFor(status));
    const requestId = newId();
    log.error({ requestId, method: request.method, ...faultOf(error) }, "a request failed");
    response.status(500).setHeader("x-request-id", requestId);
    response.type("text/plain").send(`Something went wrong here. Try again. Request ${requestId}\n`);
  };
  app.use(onError);
  return app;
}

/** The status that a package under us gives a request which its sender got wrong; null for all else. */
function senderFaultOf(error: unknown): number | null {
  const status = error instanceof Error && "status" in error ? error.status : null;
  return typeof status === "number" && status >= 400 && status < 500 ? status : null;
}

const wordsFor = (status: number): string =>
  status === 400 ? "The address is not readable.\n" : "The request cannot be answered as it was sent.\n";

const A_YEAR = "max-age=31536000";

/**
 * Sets the headers that every answer carries.
 * @param options.behindTls whether browsers reach this listener by https only.
 */
export function protectAnswers({ behindTls }: { behindTls: boolean }): RequestHandler {
  return (_request, response, next) => {
    response.setHeader("x-content-type-options", "nosniff");
    if (behindTls) response.setHeader("strict-transport-security", A_YEAR);
    next();
  };
}

/** `/healthz`: the process lives. */
export const aliveRoute: RequestHandler = (request, response, next) => {
  if (request.path !== "/healthz" || !["GET", "HEAD"].includes(request.method)) return next();
  response.type("text/plain").send("alive\n");
};

interface OpsRoutesOptions {
  settings: Settings;
  database: DatabaseWatch;
  metricsPage: MetricsPage;
  /** Becomes true once the database was checked and found right. */
  isStarted: () => boolean;
  /** Becomes true once the process is to stop. */
  isStopping: () => boolean;
}

/** `/readyz`: it can record. `/metrics`: for Prometheus. */
export function opsRoutes(options: OpsRoutesOptions): Router {
  const { settings, database, metricsPage, isStarted, isStopping } = options;
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
    if (!mayReadMetrics(request, settings)) {
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
export function mayReadMetrics(
  request: Request,
  { METRICS_TOKEN: token, ADMIN_TOKENS: adminTokens = [], OPS_PORT }: Settings,
): boolean {
  const [, given] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
  if (given !== undefined && (token?.equals(given) === true || holderOf(adminTokens, given) !== null))
    return true;
  return token === undefined && (OPS_PORT !== undefined || isFromThisMachine(request));
}

/** Headers that a proxy adds: then the peer on this machine is the proxy, and the client may be anyone. */
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

/** How long an answer is kept here, and in caches on the way, in seconds. */
const KEPT_SECONDS = 60;

/**
 * The public keys, without authorization. All requests together cost one read a minute; while Postgres is away the
 * last answer stands.
 */
export function keysRoute(db: Database): RequestHandler {
  let kept: { text: string; at: number } | null = null;
  const reading = new OneForAll<string>();
  const read = async () => {
    const text = `${JSON.stringify(await readKeys(db), null, 2)}\n`;
    kept = { text, at: performance.now() };
    return text;
  };
  const isFresh = () => kept !== null && performance.now() - kept.at < KEPT_SECONDS * 1_000;
  return async (request, response, next) => {
    if (request.path !== "/.well-known/invoice-relay-keys.json" || !["GET", "HEAD"].includes(request.method))
      return next();
    const text = isFresh() ? kept?.text : await reading.run(read).catch(() => kept?.text);
    if (text === undefined)
      return void response
        .status(503)
        .setHeader("retry-after", 5)
        .type("text/plain")
        .send("The keys cannot be read now. Ask again.\n");
    response.setHeader("cache-control", `public, max-age=${KEPT_SECONDS}`);
    response.type("application/json").send(text);
  };
}

interface ReceiverOptions {
  /** A confirmer in this process; null when there is none. */
  handoff: Handoff<ClaimedConfirmation> | null;
  /** False while the start waits for the database; always true when left out. */
  mayRecord?: () => boolean;
}

/** Puts together everything between a callback's request and its answer. */
export function callbackReceiver(parts: RelayParts, { handoff, mayRecord = () => true }: ReceiverOptions) {
  const { settings, sources, recording, database, alarms, metrics, tracer = null, log: logger } = parts;
  const log = new CallbackLog({
    db: recording,
    onConfirmations: parts.onConfirmations,
    onAlarms: (raised) => alarms.notify(raised),
    onCommit: () => database.noteCommit(),
    onFailure: (error) => database.noteFailure(error),
    handoff,
  });
  database.retryWith(() => log.retryFailed());
  return callbackRoutes({
    intake: new CallbackIntake({ sources, log, mayRecord, logger }),
    metrics,
    tracer,
    ackStatus: settings.CALLBACK_ACK_STATUS,
    ackBody: settings.CALLBACK_ACK_BODY,
    redirectUrl: settings.CALLBACK_REDIRECT_URL ?? null,
  });
}
