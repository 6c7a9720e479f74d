import type { Settings } from "../kit/settings.ts";
import { describedSources } from "../kit/sources.ts";
import type { StatusSettings } from "../operate/status-facts.ts";

/** What `status` needs from the settings; on a machine that has only DATABASE_URL they name no source. */
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
