import type { Settings } from "../kit/settings.ts";
import { reconciliationOf } from "../kit/source.ts";
import type { StatusSettings } from "../operate/status-facts.ts";

/** What `status` needs from the settings; on a machine that has only DATABASE_URL they name no source. */
export function statusSettings(settings: Settings): StatusSettings {
  const { sourcesInFile, COLLECTION_API_KEY, COLLECTION_IDS, RECONCILE_INTERVAL: intervalMs } = settings;
  const inEnvironment =
    COLLECTION_API_KEY === undefined && COLLECTION_IDS === undefined
      ? null
      : [
          {
            name: "default",
            reconciliation: reconciliationOf(COLLECTION_IDS),
            collectionIds: COLLECTION_IDS ?? [],
          },
        ];
  // Field by field: a source holds secrets, and this is shown.
  const inFile = sourcesInFile?.map(({ name, reconciliation, collectionIds }) => ({
    name,
    reconciliation,
    collectionIds,
  }));
  return { sources: inFile ?? inEnvironment, intervalMs };
}
