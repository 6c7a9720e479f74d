import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Router,
} from "express";
import { holderOf } from "../api/sessions.ts";
import { isLoopback, OpenByAddress, plainAddress } from "../kit/addresses.ts";
import { faultOf } from "../kit/fault.ts";
import type { RunningServer } from "../kit/http-server.ts";
import { newId } from "../kit/ids.ts";
import type { Logger } from "../kit/log.ts";
import type { Metrics } from "../kit/metrics.ts";
import type { Settings } from "../kit/settings.ts";
import { comesFromBrowser, payerPage, sendPage } from "../receive/payer-page/payer-page.ts";
import type { DatabaseWatch } from "./database-watch.ts";
import type { MetricsPage } from "./metrics-page.ts";

/** More than stand before any relay: a stranger who writes thousands has no more of them looked at. */
const PROXY_LIMIT = 16;

/**
 * The Express app around the given handlers, routers among them. What none of them knows gets 404; what
 * breaks is logged without the URL, which may hold a token.
 * @param trustedProxies addresses whose X-Forwarded-For is believed.
 */
export function httpApp(
  handlers: readonly RequestHandler[],
  log: Logger,
  trustedProxies: readonly string[] = [],
): Express {
  const app = express();
  app.set("trust proxy", [...trustedProxies]);
  const isTrusted = app.get("trust proxy fn") as (address: string, hop: number) => boolean;
  app.set("trust proxy", (address: string, hop: number) => hop < PROXY_LIMIT && isTrusted(address, hop));
  app.disable("x-powered-by");
  app.disable("etag");
  for (const handler of handlers) app.use(handler);
  app.use((request, response) => {
    response.status(404);
    if (comesFromBrowser(request)) return sendPage(response, payerPage({ state: "nowhere" }));
    response.type("text/plain").send("There is nothing here.\n");
  });
  const onError: ErrorRequestHandler = (error, request, response, _next) => {
    if (response.headersSent) {
      // The rest cannot follow, and whoever reads must notice. Express would print the error as it is.
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
 * Sets the headers that every answer carries, and refuses a request with two Host headers: each proxy on the
 * way may have believed another one.
 * @param options.behindTls whether browsers reach this listener by https only.
 */
export function protectAnswers({ behindTls }: { behindTls: boolean }): RequestHandler {
  return (request, response, next) => {
    response.setHeader("x-content-type-options", "nosniff");
    if (behindTls) response.setHeader("strict-transport-security", A_YEAR);
    if (hostsIn(request.rawHeaders) <= 1) return next();
    response.status(400).setHeader("connection", "close");
    response.type("text/plain").send("A request names one Host.\n");
  };
}

/** @param rawHeaders as Node lists them: names and values in turn. `headers` would keep only the first Host. */
function hostsIn(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts;
}

/** For every route after the callbacks': whoever shows no callback token must not hold a connection. */
export const closeAfterAnswer: RequestHandler = (_request, response, next) => {
  response.setHeader("connection", "close");
  next();
};

/** `/healthz`: the process lives. */
export const aliveRoute: RequestHandler = (request, response, next) => {
  if (request.path !== "/healthz" || !["GET", "HEAD"].includes(request.method)) return next();
  response.type("text/plain").send("alive\n");
};

interface OpsRoutesOptions {
  settings: Settings;
  database: DatabaseWatch;
  metricsPage: MetricsPage;
  /** Becomes true once the database has been looked at and found right. */
  isStarted: () => boolean;
  /** Becomes true once the process has been asked to stop. */
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
function mayReadMetrics(
  request: Request,
  { METRICS_TOKEN: token, ADMIN_TOKENS: adminTokens = [], OPS_PORT }: Settings,
): boolean {
  const [, given] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
  if (given !== undefined && (token?.equals(given) === true || holderOf(adminTokens, given) !== null))
    return true;
  return token === undefined && (OPS_PORT !== undefined || isFromThisMachine(request));
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

/** A connection that has been quiet for so long may be closed to make room for a new one, in ms. */
const QUIET_MS = 3_000;

/**
 * Limits the connections of each address, and of all together. Over the limit of its address, a connection is
 * closed at once. Over the limit of all, it takes the place of the one that has been quiet longest, if that
 * is for some seconds: otherwise silent connections could keep everybody out. A trusted proxy's are not
 * counted by address, since they bring everybody's requests.
 */
export function capConnections(
  { server, quiet }: Pick<RunningServer, "server" | "quiet">,
  {
    app,
    limits,
    metrics,
  }: { app: Express; limits: Record<"most" | "addressLimit", number>; metrics: Metrics },
): void {
  const isTrusted = app.get("trust proxy fn") as (address: string, hop: number) => boolean;
  const byAddress = new OpenByAddress(limits.addressLimit);
  let open = 0;
  server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? "";
    const close = address === "" || isTrusted(address, 0) ? () => undefined : byAddress.open(address);
    const isFull = open >= limits.most && !freePlace();
    if (isFull) close?.();
    if (isFull || close === null) {
      metrics.connectionsRefused.inc();
      return socket.destroy();
    }
    open += 1;
    return socket.once("close", () => {
      open -= 1;
      close();
    });
  });

  /** Closes one, first of those that never sent a request. @returns whether there is room now. */
  function freePlace(): boolean {
    for (const waiting of [quiet.unheard, quiet.idle]) {
      const [longest] = waiting;
      if (longest === undefined || performance.now() - longest[1] < QUIET_MS) continue;
      waiting.delete(longest[0]);
      metrics.hangUps.inc({ reason: "gave_way" });
      longest[0].destroy();
      return true;
    }
    return false;
  }
}

/** For callers behind a trusted proxy only requests can be counted: one more gets 503, to be tried again. */
export function capRequests(most: number, metrics: Metrics): RequestHandler {
  const open = new OpenByAddress(most);
  return (request, response, next) => {
    if (request.headers["x-forwarded-for"] === undefined) return next();
    const client = request.ip ?? "";
    if (plainAddress(client) === null || client === request.socket.remoteAddress) return next();
    const close = open.open(client);
    if (close !== null) {
      response.once("close", close);
      return next();
    }
    metrics.connectionsRefused.inc();
    response.status(503).setHeader("retry-after", 1);
    response.type("text/plain").send("Too many requests are open from this address. Send it again.\n");
  };
}
