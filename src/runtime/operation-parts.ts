import { bookSourcesOf, type OperationParts, type StatusSettings } from "../operations/index.ts";
import type { CertifyDeps, ReconcileSource, SweepDeps } from "../pipeline/reconcile/index.ts";
import {
  describedSources,
  hasChecks,
  type ServeSettings,
  type Settings,
  type Source,
  sourcesOf,
} from "../platform/config/index.ts";
import type { Database } from "../platform/database/index.ts";
import type { Logger } from "../platform/log/index.ts";
import type { Metrics } from "../platform/metrics/index.ts";
import { Signer } from "../platform/signing/index.ts";
import { routesOf, topicsOf } from "./sources.ts";
import { tracesUrl } from "./tracing.ts";

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

/** For the first line of the log; it holds no value of a setting. */
export function whatIsOn(
  settings: ServeSettings,
  sources: readonly Source[],
): { on: string[]; off: string[] } {
  const has = (test: (source: Source) => boolean) => sources.some(test);
  const features: [name: string, isOn: boolean][] = [
    ["reconciliation (COLLECTION_IDS)", sources.every(({ collectionIds }) => collectionIds.length > 0)],
    [
      "checks of callbacks (CALLBACK_HMAC_SECRETS and others)",
      has(({ callbackChecks }) => hasChecks(callbackChecks)),
    ],
    ["events of Test invoices (SNS_TEST_TOPIC_ARN)", has(({ snsTestTopicArn }) => snsTestTopicArn !== null)],
    ["the payer's data in events (EVENT_PERSONAL_DATA)", settings.EVENT_PERSONAL_DATA === "full"],
    [
      "a rate limit at the provider (CONFIRM_RATE_PER_SECOND)",
      settings.CONFIRM_RATE_PER_SECOND !== undefined,
    ],
    ["signed certificates (CERTIFICATE_SIGNING_KEY)", settings.CERTIFICATE_SIGNING_KEY !== undefined],
    ["admin API and console (ADMIN_TOKENS)", settings.ADMIN_TOKENS !== undefined],
    ["a port for operators (OPS_PORT)", settings.OPS_PORT !== undefined],
    ["alarms to people (ALARM_WEBHOOK_URL)", settings.ALARM_WEBHOOK_URL !== undefined],
    ["traces (OTEL_EXPORTER_OTLP_ENDPOINT)", tracesUrl(settings) !== null],
  ];
  const named = (wanted: boolean) => features.filter(([, isOn]) => isOn === wanted).map(([name]) => name);
  return { on: named(true), off: named(false) };
}

/** The first lines of `serve`: what is on and off, and each source whose missed callbacks would go unnoticed. */
export function logWhatIsOn(log: Logger, settings: ServeSettings, sources: readonly Source[]): void {
  const { on, off } = whatIsOn(settings, sources);
  log.info({ on, off, sources: sources.length }, "what is on, and what is off");
  for (const { name, reconciliation } of sources)
    if (reconciliation === "unset")
      log.warn(
        { source: name },
        "not reconciled: a payment whose callback never comes is missed; set COLLECTION_IDS, or none if " +
          "that is meant",
      );
}

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
