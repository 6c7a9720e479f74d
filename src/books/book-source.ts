import type { Settings } from "../kit/settings.ts";
import { describedSources } from "../kit/settings.ts";

export interface BookSource {
  name: string;
  /** The zone of its days (BOOKS_TIME_ZONE). */
  zone: string;
  currency: string;
  /** COLLECTION_IDS; empty when none is reconciled. */
  collectionIds: readonly string[];
  /** As they are set. */
  paidStatuses: readonly string[];
}

export const bookSourcesOf = (settings: Settings): BookSource[] =>
  describedSources(settings).map(({ name, booksTimeZone: zone, currency, collectionIds }) => ({
    name,
    zone,
    currency,
    collectionIds,
    paidStatuses: settings.PAID_STATUSES,
  }));
