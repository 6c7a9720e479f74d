import type { StatusSets } from "./invoices/confirmed-invoice.ts";

/** What judging depends on besides the answer; one for each source. */
export interface Rules extends StatusSets {
  /** The names of the collections that may be published, in their present spelling; null for all. */
  collectionNames: ReadonlySet<string> | null;
  /** Why the names of some of them could not be read just now; null when all were. */
  collectionsUnread: string | null;
  /** Whether Test invoices have a topic of their own; without it their events are held. */
  hasTestTopic: boolean;
  personalData: "full" | "none";
  /** The zone of times that name none. */
  timeZone: string;
  /** Of its amounts. */
  currency: string;
  /** Whether the source is healthy: not backing off, and proven within the last minute by its own answers. */
  othersAreAnswered: boolean;
}
