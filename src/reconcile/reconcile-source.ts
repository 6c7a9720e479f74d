import type { CollectionClient } from "../collection-api/index.ts";

/** One source as reconciliation sees it: whose lists are read, how, and what counts as paid there. */
export interface ReconcileSource {
  name: string;
  /** COLLECTION_IDS: the lists that can be read at all. */
  collectionIds: readonly string[];
  /** An acceptance by this topic counts as published, by whichever way it got there. */
  liveTopicArn: string;
  client: CollectionClient;
  /** The most calls a second to this provider account, everyone counted; null for no limit. */
  ratePerSecond: number | null;
  /** As the settings write them: the list is asked for each of them, and compared without case. */
  paidStatuses: readonly string[];
  /** The zone of times that name none. */
  timeZone: string;
  /** How long before its payment an invoice may have been created, in ms. */
  lookbackMs: number;
}
