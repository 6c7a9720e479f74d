import { activityBook, bookSourcesOf, type OperationParts } from "../operations/index.ts";
import type { CertifyDeps, ReconcileSource, SweepDeps } from "../pipeline/reconcile/index.ts";
import { type ServeSettings, type Settings, sourcesOf } from "../platform/config/index.ts";
import type { Database } from "../platform/database/index.ts";
import type { Metrics } from "../platform/metrics/index.ts";

import { Signer } from "../platform/signing/index.ts";
import { settingsShown, statusSettings } from "./settings-shown.ts";
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

/** Each part is made from the settings when it is asked for: a command may run with few of them. */
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
  settings: (withTokens) => settingsShown(serving(), sourcesOf(serving()), withTokens),
  // Imported when they are asked for: a command loads what it needs.
  async tryWebhook() {
    const { tryWebhook } = await import("./alarm-webhook.ts");
    return await tryWebhook(settings(), await metrics());
  },
  activity: activityBook(given.db),
  async certify({ deep, ...period }, onProgress) {
    const { certifyPeriod } = await import("../pipeline/reconcile/index.ts");
    return await withLists((asking) =>
      certifyPeriod(asking, { ...asking, ...period, deep }, ({ name: source }, progress) =>
        onProgress({ source, collectionId: null, ...progress }),
      ),
    );
  },
  async reconcile({ publish, reason, ...period }, actor, onProgress) {
    const { reconcilePeriod } = await import("../pipeline/reconcile/index.ts");
    return await withLists((asking) =>
      reconcilePeriod(
        asking,
        { ...asking, ...period, publish, actor, reason },
        ({ name: source }, collectionId, progress) =>
          onProgress({ source, collectionId, step: "lists", ...progress }),
      ),
    );
  },
});
