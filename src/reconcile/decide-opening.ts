import type { KnownPayment } from "./known-payments.ts";
import type { ListedPayment } from "./paid-list.ts";

export interface SweepTerms {
  /** The payments that it is about; `to` null for all up to now. */
  from: Date;
  to: Date | null;
  /** The source's first `serve`: what was paid from then on is published. */
  firstServedAt: Date | null;
  /** Publish what was paid before that too. */
  publishEarlier: boolean;
}

export type Opening =
  /** Another sweep's matter: paid outside the window. */
  | "elsewhere"
  /** It has its event. */
  | "complete"
  /** It has none, and its question is being asked, or waits for a person where it is seen: dead, quarantined. */
  | "waiting"
  /** It has none, because it is recorded only. */
  | "recorded"
  | "open"
  | "open_to_record";

/**
 * Whether a payment of the list opens a question. Pure. Without a date from the list, the confirmed answer's
 * counts; without either, it was surely paid after its creation, and is otherwise recorded only: the answer to
 * that brings the date for the next sweep.
 */
export function decideOpening(listed: ListedPayment, known: KnownPayment, terms: SweepTerms): Opening {
  const paidAt = listed.paidAt ?? known.paidAt;
  if (!isWithin(paidAt ?? listed.createdAt, paidAt === null, terms)) return "elsewhere";
  if (known.hasEvent) return "complete";

  const since = paidAt ?? listed.createdAt;
  const publishes =
    terms.publishEarlier || (terms.firstServedAt !== null && since !== null && since >= terms.firstServedAt);
  const opening = publishes ? "open" : "open_to_record";
  const { question } = known;
  if (question === null) return opening;
  switch (question.state) {
    case "dead":
      return "waiting";
    case "due":
    case "claimed":
      if (question.recordOnly && publishes) return "open";
      return question.soon ? "waiting" : opening;
    case "done":
      if (question.verdict === "quarantined") return "waiting";
      return question.verdict === "paid" && !publishes ? "recorded" : opening;
  }
}

// A creation only says that the payment came later.
function isWithin(moment: Date | null, isCreation: boolean, { from, to }: SweepTerms): boolean {
  if (moment === null) return true;
  return (isCreation || moment >= from) && (to === null || moment < to);
}
