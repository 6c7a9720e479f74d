import type { CollectionClient } from "../collection-api/index.ts";
import type { Settings } from "../kit/settings.ts";
import type { Source } from "../kit/sources.ts";
import type { ReconcileSource } from "../reconcile/reconcile-source.ts";

/** A source as reconciliation sees it; the client is the one that the source is asked with anyway. */
export function reconcileSource(
  source: Source,
  client: CollectionClient,
  settings: Settings,
): ReconcileSource {
  return {
    name: source.name,
    collectionIds: source.collectionIds,
    liveTopicArn: source.snsTopicArn,
    client,
    ratePerSecond: settings.CONFIRM_RATE_PER_SECOND ?? null,
    paidStatuses: settings.PAID_STATUSES,
    timeZone: settings.PROVIDER_TIME_ZONE,
    lookbackMs: settings.RECONCILE_LOOKBACK,
  };
}
