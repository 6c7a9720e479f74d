import type { Router } from "express";
import type { Kysely } from "kysely";
import { adminRouter } from "../console/admin-api/admin-router.ts";
import type { Period } from "../console/admin-api/operation.ts";
import { RefusedCallers } from "../console/admin-api/refused-callers.ts";
import { readTimeline } from "../console/timeline-reading.ts";
import type { Alarms } from "../database/alarms.ts";
import type { Tables } from "../database/tables.ts";
import type { Logger } from "../kit/log.ts";
import type { Metrics } from "../kit/metrics.ts";
import type { ServeSettings } from "../kit/settings.ts";
import type { Source } from "../kit/sources.ts";
import { paymentDays } from "../reconcile/list/payment-days.ts";
import { certifyPeriod, reconcilePeriod } from "../reconcile/on-request.ts";
import type { ReconcileSource } from "../reconcile/reconcile-source.ts";
import type { SweepDeps } from "../reconcile/sweep/run-sweep.ts";
import { providerOf } from "./providers.ts";
import { reconcileSource } from "./reconcile-source.ts";
import { readAgain } from "./replay-runner.ts";
import { statusSettings } from "./status-settings.ts";
import { topicsOf } from "./topics-of.ts";
import { routesOf } from "./upstreams.ts";

export interface AdminOptions {
  db: Kysely<Tables>;
  settings: ServeSettings;
  sources: readonly Source[];
  alarms: Alarms;
  log: Logger;
  metrics: Metrics;
  /** Wakes the confirmers of all processes. */
  onConfirmations: () => void;
  /** The same for the publishers. */
  onEvents: () => void;
}

/** How long a call may read the provider's lists; longer periods are for the command line. */
const LISTS_MS = 600_000;

/** The admin API of this process; no routers without ADMIN_TOKENS. `stop` ends what is paced. */
export function adminRoutes(options: AdminOptions): { routers: Router[]; stop(): void } {
  const { db, settings, sources, log, metrics } = options;
  const tokens = settings.ADMIN_TOKENS ?? [];
  if (tokens.length === 0) return { routers: [], stop: () => undefined };
  const parts = {
    db,
    routes: routesOf(sources),
    readAgain,
    topicsOf: (source: string) => topicsOf(settings, source),
    replayTopicArns: settings.REPLAY_TOPIC_ARNS ?? [],
    retentionMs: settings.RETENTION,
    personalDataMs: settings.PERSONAL_DATA_RETENTION,
    statusSettings: statusSettings(settings),
    timeline: (invoiceId: string) => readTimeline(db, invoiceId),
    certify: ({ deep, ...period }: Period & { deep: boolean }) =>
      withLists(options, (asking) => certifyPeriod(asking, { ...asking, ...scopeOf(period), deep })),
    reconcile: ({ publish, ...period }: Period & { publish: boolean }, actor: string) =>
      withLists(options, (asking) =>
        reconcilePeriod(asking, { ...asking, ...scopeOf(period), publish, actor }),
      ),
  };
  const wrongTokensPerMinute = settings.WRONG_TOKENS_PER_MINUTE;
  const refused = new RefusedCallers({ db, log, metrics, wrongTokensPerMinute });
  return { routers: [adminRouter({ parts, tokens, refused, log })], stop: () => refused.stop() };
}

/** Everything that reading the provider's lists takes, for as long as the work takes. */
async function withLists<Result>(
  { db, settings, sources, alarms, onConfirmations, onEvents }: AdminOptions,
  work: (asking: SweepDeps & { sources: ReconcileSource[]; signal: AbortSignal }) => Promise<Result>,
): Promise<Result> {
  const accounts = sources.map((source) => ({ source, provider: providerOf(source, settings) }));
  try {
    return await work({
      db,
      alarms,
      leaseMs: settings.LEASE_DURATION,
      onConfirmations,
      onEvents,
      sources: accounts.map(({ source, provider }) => reconcileSource(source, provider, settings)),
      signal: AbortSignal.timeout(LISTS_MS),
    });
  } finally {
    await Promise.all(accounts.map(({ provider }) => provider.close()));
  }
}

const scopeOf = ({ from, to, collection }: Period) => ({ collection, window: paymentDays(from, to) });
