import type { Provider } from "../provider/provider.ts";

/**
 * One source as reconciliation sees it: whose lists are read, how, and what counts as paid and published
 * there.
 */
export interface ReconcileSource {
  name: string;
  /** COLLECTION_IDS: the lists that can be read at all. */
  collectionIds: readonly string[];
  /** An acceptance counts only on the topic that is right for the invoice today. */
  liveTopicArn: string;
  /** null: events of Test invoices are held. */
  testTopicArn: string | null;
  provider: Provider;
  /** The most calls a second to this provider account, everyone counted; null for no limit. */
  ratePerSecond: number | null;
  /** As the settings write them: the list is asked for each of them, and compared without case. */
  paidStatuses: readonly string[];
  invalidStatuses: readonly string[];
  /** The zone of times that name none. */
  timeZone: string;
  /** How long before its payment an invoice may have been created, in ms. */
  lookbackMs: number;
  /** How long callbacks are kept, in ms. */
  retentionMs: number;
}
