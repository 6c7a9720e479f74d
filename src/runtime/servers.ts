import type { ServerOptions } from "node:http";
import type { RequestHandler, Router } from "express";
import { adminRouter, closedAdminRouter } from "../interfaces/admin-api/index.ts";
import { builtPages, consolePages } from "../interfaces/console/index.ts";
import type { OperationParts } from "../operations/index.ts";
import type { PoolUsage } from "../platform/database/index.ts";
import { listen, type RunningServer } from "../platform/http/index.ts";
import { maskOf } from "../platform/values/index.ts";
import type { RelayParts } from "./compose.ts";
import { aliveRoute, callbackReceiver, httpApp, keysRoute, opsRoutes, protectAnswers } from "./http-app.ts";
import type { JobContext } from "./job.ts";
import type { Jobs } from "./jobs.ts";
import { MetricsPage } from "./metrics-page.ts";
import { type ListWork, operationParts } from "./operation-parts.ts";
import { withReconcileSources } from "./sources.ts";

const GRACE_MS = 2_000;

/** In bytes, of a request's line and headers; more is answered 431 before anything reads them. */
const HEADER_LIMIT = 16 * 1024;

/**
 * Longer than load balancers keep an idle connection (60 s, Google's 600 s), so that they, not we, close it: a
 * request that is on its way then is answered 502.
 */
const KEEP_ALIVE_MS = 620_000;

/** A request must arrive whole within `requestTimeoutMs`: a slow sender gets 408 and is cut off. */
const httpLimits = (requestTimeoutMs: number): ServerOptions => ({
  maxHeaderSize: HEADER_LIMIT,
  requestTimeout: requestTimeoutMs,
  headersTimeout: requestTimeoutMs,
  connectionsCheckingInterval: Math.min(1_000, Math.max(50, requestTimeoutMs / 4)),
  keepAliveTimeout: KEEP_ALIVE_MS,
});

interface ServersOptions {
  /** The interface to listen on; all of them when left out. */
  host: string | undefined;
  pools: Readonly<Record<string, () => PoolUsage>>;
  /** The database was checked and found right: nothing is recorded before that. */
  isStarted: () => boolean;
  isStopping: () => boolean;
}

/** The ports of one `serve`. They open one by one, and close together, however far a start has come. */
export function serversOf(parts: RelayParts, { host, pools, isStarted, isStopping }: ServersOptions) {
  const { settings, db, log, metrics } = parts;
  const { OPS_PORT, ADMIN_TOKENS: adminTokens = [] } = settings;
  const open: RunningServer[] = [];
  /** The parts that hold connections open, and so are stopped before the servers. */
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
    openPublic(handoff: Jobs["handoff"]): Promise<RunningServer> {
      const receiver = callbackReceiver(parts, { handoff, mayRecord: isStarted });
      const handlers = [receiver, aliveRoute, keysRoute(db)];
      if (OPS_PORT === undefined) handlers.push(...forOperators());
      return openPort(handlers, settings.PORT, settings.PUBLIC_URL.startsWith("https:"));
    },
    /** For operators and their tools, away from public traffic. */
    openOps: (port: number): Promise<RunningServer> =>
      openPort([aliveRoute, keysRoute(db), ...forOperators()], port, false),
    /** Takes no new requests; resolves when none is under way any more. */
    async close(): Promise<void> {
      for (const part of hangsUp) part.stop();
      await Promise.all(open.map((server) => server.close(GRACE_MS)));
    },
    /** To be called when no more requests come. */
    stop() {
      for (const part of stoppable) part.stop();
    },
  };
}

/** How long a call may read the provider's lists; longer periods are for the command line. */
const LISTS_MS = 600_000;

/** The admin API of this process; closed without ADMIN_TOKENS. `stop` ends what reads the provider. */
function adminRoutes(options: JobContext): { routers: Router[]; stop(): void } {
  const { settings, log, metrics } = options;
  const tokens = settings.ADMIN_TOKENS ?? [];
  if (tokens.length === 0) return { routers: [closedAdminRouter()], stop: () => undefined };
  const stopping = new AbortController();
  const parts = partsOf(options, stopping.signal);
  const onRefused = () => metrics.adminRefused.inc({ status: 401 });
  const peopleUseTls = settings.PUBLIC_URL.startsWith("https:");
  return {
    routers: [adminRouter({ parts, tokens, onRefused, peopleUseTls, log })],
    stop: () => stopping.abort(),
  };
}

/** Each made once: no request makes the signer again. */
function partsOf(options: JobContext, stopping: AbortSignal): OperationParts {
  const { db, settings, sources, signer, metrics } = options;
  const parts = operationParts({
    db,
    settings: () => settings,
    serving: () => settings,
    metrics: async () => metrics,
    mask: maskOf(sources.flatMap(({ callbackTokens }) => callbackTokens)),
    withLists: (work) => withLists(options, stopping, work),
  });
  return { ...parts, signer };
}

/** For as long as the work takes. */
const withLists = <Result>(
  { db, settings, lease, sources, alarms, signer, onConfirmations, onEvents }: JobContext,
  stopping: AbortSignal,
  work: (asking: ListWork) => Promise<Result>,
): Promise<Result> =>
  withReconcileSources(sources, settings, (sources) =>
    work({
      db,
      alarms,
      lease,
      signer,
      onConfirmations,
      onEvents,
      sources,
      signal: AbortSignal.any([AbortSignal.timeout(LISTS_MS), stopping]),
    }),
  );
