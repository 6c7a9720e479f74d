import type { ReconcileSource } from "../pipeline/reconcile/index.ts";
import type { ServeSettings, Settings, Source } from "../platform/config/index.ts";
import { collectionApiProvider, type Provider } from "../provider/index.ts";

export const providerOf = (source: Source, settings: ServeSettings): Provider =>
  collectionApiProvider({
    baseUrl: source.collectionApiUrl,
    apiKey: source.collectionApiKey,
    timeoutMs: settings.CONFIRM_TIMEOUT,
    connections: settings.CONFIRM_CONCURRENCY,
  });

/** A source as reconciliation sees it; the provider is the one that the source is asked at anyway. */
export function reconcileSource(source: Source, provider: Provider, settings: Settings): ReconcileSource {
  return {
    name: source.name,
    collectionIds: source.collectionIds,
    liveTopicArn: source.snsTopicArn,
    testTopicArn: source.snsTestTopicArn,
    provider,
    ratePerSecond: settings.CONFIRM_RATE_PER_SECOND ?? null,
    paidStatuses: settings.PAID_STATUSES,
    invalidStatuses: settings.INVALID_STATUSES,
    timeZone: settings.PROVIDER_TIME_ZONE,
    booksTimeZone: source.booksTimeZone,
    currency: source.currency,
    lookbackMs: settings.RECONCILE_LOOKBACK,
    retentionMs: settings.RETENTION,
  };
}

/** Runs work that reads the providers' lists, with an account for each source, for as long as it takes. */
export async function withReconcileSources<Result>(
  sources: readonly Source[],
  settings: ServeSettings,
  work: (sources: ReconcileSource[]) => Promise<Result>,
): Promise<Result> {
  const accounts = sources.map((source) => ({ source, provider: providerOf(source, settings) }));
  try {
    return await work(accounts.map(({ source, provider }) => reconcileSource(source, provider, settings)));
  } finally {
    await Promise.all(accounts.map(({ provider }) => provider.close()));
  }
}
