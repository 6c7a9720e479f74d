import type { ServerOptions } from "node:http";
import type { RequestHandler } from "express";
import { builtPages, consolePages } from "../console/console-pages.ts";
import type { PoolUsage } from "../database/connect.ts";
import { listen, type RunningServer } from "../kit/http-server.ts";
import { adminRoutes } from "./admin.ts";
import { callbackReceiver } from "./callback-receiver.ts";
import type { RelayParts } from "./compose.ts";
import { aliveRoute, httpApp, opsRoutes, protectAnswers } from "./http-app.ts";
import { keysRoute } from "./keys-route.ts";
import { MetricsPage } from "./metrics-page.ts";
import type { Passes } from "./passes.ts";

const GRACE_MS = 2_000;

/** In bytes, of a request's line and headers; more is answered 431 before anything reads them. */
const HEADER_LIMIT = 16 * 1024;

/** Longer than the idle time of common load balancers (60 s), so that they, not we, close a connection. */
const KEEP_ALIVE_MS = 65_000;

/** A request must arrive whole within `requestTimeoutMs`: a slow sender gets 408 and is cut off. */
const httpLimits = (requestTimeoutMs: number): ServerOptions => ({
  maxHeaderSize: HEADER_LIMIT,
  requestTimeout: requestTimeoutMs,
  headersTimeout: requestTimeoutMs,
  connectionsCheckingInterval: Math.min(1_000, Math.max(50, requestTimeoutMs / 4)),
  keepAliveTimeout: KEEP_ALIVE_MS,
});

interface DoorsOptions {
  /** The interface to listen on; all of them when left out. */
  host: string | undefined;
  pools: Readonly<Record<string, () => PoolUsage>>;
  /** The database was looked at and found right: nothing is recorded before that. */
  isStarted: () => boolean;
  isStopping: () => boolean;
}

/** The ports of one `serve`. They open one by one, and close together, however far a start has come. */
export function doorsOf(parts: RelayParts, { host, pools, isStarted, isStopping }: DoorsOptions) {
  const { settings, db, log, metrics } = parts;
  const { OPS_PORT, ADMIN_TOKENS: adminTokens = [] } = settings;
  const open: RunningServer[] = [];
  /** What holds connections open, and so is stopped before the servers. */
  const hangsUp: { stop(): void }[] = [];
  const stoppable: { stop(): void }[] = [];

  /** Each of the relay's ports has the same limits. */
  const openPort = async (handlers: readonly RequestHandler[], port: number, behindTls: boolean) => {
    const app = httpApp([protectAnswers({ behindTls }), ...handlers], log, settings.TRUSTED_PROXIES ?? []);
    const running = await listen(app, {
      name: "invoice-relay",
      port,
      server: httpLimits(settings.REQUEST_TIMEOUT),
      maxConnections: settings.MAX_CONNECTIONS,
      onRefused: () => metrics.connectionsRefused.inc(),
      ...(host === undefined ? {} : { host }),
    });
    open.push(running);
    return running;
  };

  const forOperators = (): RequestHandler[] => {
    const metricsPage = new MetricsPage(parts, pools);
    stoppable.push(metricsPage);
    const admin = adminRoutes(parts);
    hangsUp.push(admin);
    return [
      opsRoutes({ settings, database: parts.database, metricsPage, isStarted, isStopping }),
      ...admin.routers,
      consolePages({ isOpen: adminTokens.length > 0, folder: builtPages() }),
    ];
  };

  return {
    /** For callbacks; for operators too, where they have no port of their own. */
    openPublic(handoff: Passes["handoff"]): Promise<RunningServer> {
      const receiver = callbackReceiver(parts, { handoff, mayRecord: isStarted });
      stoppable.push(receiver);
      const handlers = [receiver.router, aliveRoute, keysRoute(db)];
      if (OPS_PORT === undefined) handlers.push(...forOperators());
      return openPort(handlers, settings.PORT, settings.PUBLIC_URL.startsWith("https:"));
    },
    /** For operators and their tools, where strangers need not reach. */
    openOps: (port: number): Promise<RunningServer> =>
      openPort([aliveRoute, keysRoute(db), ...forOperators()], port, false),
    /** Takes no new requests; resolves when none is under way any more. */
    async close(): Promise<void> {
      for (const part of hangsUp) part.stop();
      await Promise.all(open.map((server) => server.close(GRACE_MS)));
    },
    /** To be called when nothing is asked any more. */
    stop() {
      for (const part of stoppable) part.stop();
    },
  };
}
