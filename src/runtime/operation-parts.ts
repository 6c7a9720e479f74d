import { bookSourcesOf, type OperationParts, type StatusSettings } from "../operations/index.ts";
import type { CertifyDeps, ReconcileSource, SweepDeps } from "../pipeline/reconcile/index.ts";
import { describedSources, type ServeSettings, type Settings, sourcesOf } from "../platform/config/index.ts";
import type { Database } from "../platform/database/index.ts";
import type { Metrics } from "../platform/metrics/index.ts";
import { Signer } from "../platform/signing/index.ts";
import { routesOf, topicsOf } from "./sources.ts";

/** Everything that reading the provider's lists takes. */
export type ListWork = CertifyDeps & SweepDeps & { sources: ReconcileSource[]; signal: AbortSignal };

interface PartsGiven extends Pick<OperationParts, "mask"> {
  db: Database;
  settings: () => Settings;
  /** @throws SettingsError unless all is there that `serve` requires. */
  serving: () => ServeSettings;
  metrics: () => Promise<Metrics>;
  /** Runs the work with the configured sources, a provider for each. */
  withLists: <Result>(work: (asking: ListWork) => Promise<Result>) => Promise<Result>;
}

/** Each part is made from the settings on first use: a command may run with few of them. */
export const operationParts = ({
  settings,
  serving,
  metrics,
  withLists,
  ...given
}: PartsGiven): OperationParts => ({
  ...given,
  get routes() {
    return routesOf(sourcesOf(serving()));
  },
  topicsOf: (source) => topicsOf(settings(), source),
  get replayTopicArns() {
    return settings().REPLAY_TOPIC_ARNS ?? [];
  },
  get retentionMs() {
    return settings().RETENTION;
  },
  get personalDataMs() {
    return settings().PERSONAL_DATA_RETENTION;
  },
  get statusSettings() {
    return statusSettings(settings());
  },
  get signer() {
    return Signer.of(settings());
  },
  get books() {
    return bookSourcesOf(settings());
  },
  // Imported on first use: a command loads only the parts that it needs.
  async tryWebhook() {
    const { tryWebhook } = await import("./alarm-webhook.ts");
    return await tryWebhook(settings(), await metrics());
  },
  async certify(period) {
    const { certifyPeriod } = await import("../pipeline/reconcile/index.ts");
    return await withLists((asking) => certifyPeriod(asking, { ...asking, ...period }));
  },
  async reconcile({ publish, reason, ...period }, actor) {
    const { reconcilePeriod } = await import("../pipeline/reconcile/index.ts");
    return await withLists((asking) =>
      reconcilePeriod(asking, { ...asking, ...period, publish, actor, reason }),
    );
  },
});

/** The settings that `status` needs; on a machine that has only DATABASE_URL they name no source. */
export function statusSettings(settings: Settings): StatusSettings {
  const { sourcesInFile, COLLECTION_API_KEY, COLLECTION_IDS, RECONCILE_INTERVAL: intervalMs } = settings;
  if (sourcesInFile === null && COLLECTION_API_KEY === undefined && COLLECTION_IDS === undefined)
    return { sources: null, intervalMs };
  // Field by field: a source holds secrets, and this is shown.
  const sources = describedSources(settings).map(({ name, reconciliation, collectionIds }) => ({
    name,
    reconciliation,
    collectionIds,
  }));
  return { sources, intervalMs };
}
