import type { Router } from "express";
import type { Kysely } from "kysely";
import { CollectionClient } from "../collection-api/index.ts";
import { adminRouter } from "../console/admin-api/admin-router.ts";
import type { Period } from "../console/admin-api/operation.ts";
import { RefusedCallers } from "../console/admin-api/refused-callers.ts";
import { readTimeline } from "../console/timeline-reading.ts";
import { audit } from "../database/audit.ts";
import type { Tables } from "../database/tables.ts";
import { RelayError } from "../kit/errors.ts";
import type { Logger } from "../kit/log.ts";
import type { Metrics } from "../kit/metrics.ts";
import type { ServeSettings } from "../kit/settings.ts";
import type { Source } from "../kit/sources.ts";
import { backFill } from "../reconcile/back-fill.ts";
import { certify } from "../reconcile/certify.ts";
import type { ReconcileSource } from "../reconcile/reconcile-source.ts";
import { reconcileSource } from "./reconcile-source.ts";
import { readAgain } from "./replay-runner.ts";
import { topicsOf } from "./topics-of.ts";
import { routesOf } from "./upstreams.ts";

export interface AdminOptions {
  db: Kysely<Tables>;
  settings: ServeSettings;
  sources: readonly Source[];
  log: Logger;
  metrics: Metrics;
  /** Wakes the confirmers of all processes. */
  onConfirmations: () => void;
}

const DAY_MS = 86_400_000;

/** How long a call may read the provider's lists; longer periods are for the command line. */
const LISTS_MS = 600_000;

/** The admin API of this process; no routers without ADMIN_TOKENS. `stop` ends what is paced. */
export function adminDoor(options: AdminOptions): { routers: Router[]; stop(): void } {
  const { db, settings, sources, log, metrics, onConfirmations } = options;
  const tokens = settings.ADMIN_TOKENS ?? [];
  if (tokens.length === 0) return { routers: [], stop: () => undefined };
  const parts = {
    db,
    routes: routesOf(sources),
    readAgain,
    topicsOf: (source: string) => topicsOf(settings, source),
    replayTopicArns: settings.REPLAY_TOPIC_ARNS ?? [],
    retentionMs: settings.RETENTION,
    timeline: (invoiceId: string) => readTimeline(db, invoiceId),
    certify: (period: Period) =>
      eachCollection(options, period, (source, collectionId, signal) =>
        certify(db, { source, collectionId, window: windowOf(period), signal }),
      ),
    async reconcile({ publish, ...period }: Period & { publish: boolean }, actor: string) {
      const detail = { ...period, publish };
      await audit(db, [{ actor, action: "reconcile", subject: "reconcile", invoiceId: null, detail }]);
      const deps = { db, leaseMs: settings.LEASE_DURATION, onConfirmations };
      return await eachCollection(options, period, (source, collectionId, signal) =>
        backFill(deps, { source, collectionId, window: windowOf(period), publish, signal }),
      );
    },
  };
  const wrongTokensPerMinute = settings.WRONG_TOKENS_PER_MINUTE;
  const refused = new RefusedCallers({ db, log, metrics, wrongTokensPerMinute });
  return { routers: [adminRouter({ parts, tokens, refused, log })], stop: () => refused.stop() };
}

async function eachCollection<Result>(
  { settings, sources }: AdminOptions,
  { collection }: Period,
  work: (source: ReconcileSource, collectionId: string, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const chosen = sources.flatMap((source) =>
    source.collectionIds
      .filter((id) => collection === undefined || id === collection)
      .map((collectionId) => ({ source, collectionId })),
  );
  if (chosen.length === 0)
    throw new RelayError("There is no such collection in COLLECTION_IDS, whose lists may be read.", {
      next: "refuse",
    });
  const signal = AbortSignal.timeout(LISTS_MS);
  const results: Result[] = [];
  for (const { source, collectionId } of chosen) {
    const client = new CollectionClient({
      baseUrl: source.collectionApiUrl,
      apiKey: source.collectionApiKey,
      timeoutMs: settings.CONFIRM_TIMEOUT,
    });
    try {
      results.push(await work(reconcileSource(source, client, settings), collectionId, signal));
    } finally {
      await client.close();
    }
  }
  return results;
}

const windowOf = ({ from, to }: Period) => ({
  from: new Date(`${from}T00:00:00.000Z`),
  to: new Date(Date.parse(`${to}T00:00:00.000Z`) + DAY_MS),
});
