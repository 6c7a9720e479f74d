import type { Route } from "../pipeline/publish/index.ts";
import type { ReconcileSource } from "../pipeline/reconcile/index.ts";
import {
  describedSources,
  type ServeSettings,
  type Settings,
  type Source,
} from "../platform/config/index.ts";
import type { Database } from "../platform/database/index.ts";
import { notFoundError } from "../platform/errors/index.ts";
import { failpoint } from "../platform/process/index.ts";
import { registerUpstreams } from "../platform/upstreams/index.ts";
import type { Served } from "../platform/worker/index.ts";
import { collectionApiProvider, type Provider } from "../provider/index.ts";

/** Makes the rows in which the sources and topics of the settings keep their state. */
export async function register(db: Database, sources: readonly Source[]): Promise<void> {
  failpoint("upstreams to be registered");
  await registerUpstreams(db, { sources: sources.map(({ name }) => name), topics: topicArnsOf(sources) });
  failpoint("upstreams registered");
}

/** The names in the settings, for the row of this process. */
export const servedBy = (sources: readonly Source[]): Served => ({
  sources: Object.fromEntries(sources.map(({ name, collectionIds }) => [name, collectionIds])),
  topics: topicArnsOf(sources),
});

const topicArnsOf = (sources: readonly Source[]): string[] => [
  ...new Set(routesOf(sources).map(({ topicArn }) => topicArn)),
];

/** Which events go where. Test events of a source without a test topic are held, so they have no route. */
export function routesOf(sources: readonly Source[]): Route[] {
  return sources.flatMap((source) => [
    { source: source.name, invoiceType: "Live" as const, topicArn: source.snsTopicArn },
    ...(source.snsTestTopicArn === null
      ? []
      : [{ source: source.name, invoiceType: "Test" as const, topicArn: source.snsTestTopicArn }]),
  ]);
}

/** The topics that events of a source go to. @throws RelayError when the settings name no such source. */
export function topicsOf(settings: Settings, source: string): string[] {
  const sources = describedSources(settings);
  const found = sources.find(({ name }) => name === source);
  if (found === undefined)
    throw notFoundError(
      `The settings name no source "${source}". Known: ${sources.map(({ name }) => name).join(", ")}.`,
    );
  return [found.snsTopicArn ?? null, found.snsTestTopicArn].filter((arn) => arn !== null);
}

export const providerOf = (source: Source, settings: ServeSettings): Provider =>
  collectionApiProvider({
    baseUrl: source.collectionApiUrl,
    apiKey: source.collectionApiKey,
    timeoutMs: settings.CONFIRM_TIMEOUT,
    connections: settings.CONFIRM_CONCURRENCY,
  });

/** A source as reconciliation sees it; its provider is the one that confirmations use too. */
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
