import type { Money } from "../collection-api/index.ts";

/** How many, and how much together: a decimal string, added up exactly. */
export interface Tally {
  count: number;
  amount: Money;
}

/** Live payments of one day (UTC), or of all: at the provider, in the relay's store, accepted by SNS. */
export interface Totals {
  paid: Tally;
  stored: Tally;
  published: Tally;
}

/** Why a payment is not the same in all three places. */
export type Reason =
  /** No question was ever asked about it: no callback named it, and no sweep has found it yet. */
  | "missing"
  | "not_confirmed"
  | "dead"
  | "quarantined"
  | "not_paid"
  | "recorded_only"
  | "event_missing"
  | "unpublished"
  | "event_dead"
  | "held"
  | "no_acceptance"
  | "amount_differs"
  | "not_at_provider"
  | "test"
  | "before_start"
  | "recent";

export interface Difference {
  invoiceId: string;
  reason: Reason;
  /** The reason in plain words, with what the relay knows about it. */
  detail: string;
  /** A Live invoice that is paid at the provider and has no accepted publication, with no excuse. */
  gap: boolean;
  /** UTC, YYYY-MM-DD. */
  day: string;
  /** By the provider's list, or the relay's own where the list has none; null when neither says. */
  amount: Money | null;
}

/** The proof for one source and period (G10). */
export interface Certificate {
  id: string;
  source: string;
  /** What was read: COLLECTION_IDS, or the one asked for. */
  collections: { id: string; name: string | null }[];
  /** Payments from, and before; ISO 8601, UTC. */
  from: string;
  to: string;
  /** When it was made; ISO 8601, UTC. */
  madeAt: string;
  days: ({ day: string } & Totals)[];
  total: Totals;
  gaps: number;
  differences: Difference[];
}
