import type { Settings } from "../kit/settings.ts";
import { describedSources } from "../kit/sources.ts";

/** What the books need to know of a source. */
export interface BookSource {
  name: string;
  /** The zone of its days and months (BOOKS_TIME_ZONE). */
  zone: string;
  /** Of all its amounts, ISO 4217. */
  currency: string;
  /** COLLECTION_IDS; empty when none is reconciled. */
  collectionIds: readonly string[];
  /** As they are set. */
  paidStatuses: readonly string[];
}

/** The sources that the settings describe. */
export const bookSourcesOf = (settings: Settings): BookSource[] =>
  describedSources(settings).map(({ name, booksTimeZone: zone, currency, collectionIds }) => ({
    name,
    zone,
    currency,
    collectionIds,
    paidStatuses: settings.PAID_STATUSES,
  }));
