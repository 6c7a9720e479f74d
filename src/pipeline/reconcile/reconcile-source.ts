import { usageError } from "../../platform/errors/index.ts";
import type { Provider } from "../../provider/index.ts";

/** A source as reconciliation sees it: which lists to read and how, and what counts as paid and published. */
export interface ReconcileSource {
  name: string;
  /** COLLECTION_IDS: the lists that can be read. */
  collectionIds: readonly string[];
  /** An acceptance counts only on the topic that is currently right for the invoice. */
  liveTopicArn: string;
  /** null: events of Test invoices are held. */
  testTopicArn: string | null;
  provider: Provider;
  /** The most calls per second to this provider account by all processes; null for no limit. */
  ratePerSecond: number | null;
  /** As in the settings: each is a request to the list; compared without case. */
  paidStatuses: readonly string[];
  invalidStatuses: readonly string[];
  /** The time zone of times without one. */
  timeZone: string;
  /** The zone whose days its books have. */
  booksTimeZone: string;
  currency: string;
  /** How long before its payment an invoice may have been created, in ms. */
  lookbackMs: number;
  retentionMs: number;
}

/** The collections whose lists are to be read. @throws RelayError when the source has none. */
export function collectionsOf({ name, collectionIds }: ReconcileSource): readonly string[] {
  if (collectionIds.length > 0) return collectionIds;
  throw usageError(
    `There is no list to read for source "${name}": the provider lists invoices only by ` +
      "collection. Set COLLECTION_IDS to the ids of its collections.",
  );
}
