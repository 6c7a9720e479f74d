import type { ListedPayment } from "../list/listed-payment.ts";
import type { KnownPayment } from "./known-payments.ts";

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
  /** It has its event, which was accepted or is on its way. */
  | "complete"
  /** It has its event, but no acceptance on the right topic is kept, and it waits nowhere. */
  | "requeue"
  /** It has none, and is being asked about, or waits for a person where it is seen: dead, quarantined. */
  | "waiting"
  /** It has none, because it is recorded only. */
  | "recorded"
  | "open"
  | "open_to_record";

/**
 * What a payment of the list needs. Pure. Without a date from the list, the confirmed answer's counts;
 * without either, it was surely paid after its creation, and is otherwise recorded only: the answer to that
 * brings the date for the next sweep. Where the evidence of a published payment is gone, it is asked about
 * again.
 */
export function decideOpening(listed: ListedPayment, known: KnownPayment, terms: SweepTerms): Opening {
  const paidAt = listed.paidAt ?? known.paidAt;
  if (!isWithin(paidAt ?? listed.createdAt, paidAt === null, terms)) return "elsewhere";
  const { confirmation } = known;
  if (known.event === "lost") return "requeue";
  if (known.event !== "none") return isEvident(known) ? "complete" : "open";

  const since = paidAt ?? listed.createdAt;
  const publishes =
    terms.publishEarlier || (terms.firstServedAt !== null && since !== null && since >= terms.firstServedAt);
  const opening = publishes ? "open" : "open_to_record";
  if (confirmation === null) return opening;
  switch (confirmation.state) {
    case "dead":
      return "waiting";
    case "due":
    case "claimed":
      if (confirmation.recordOnly && publishes) return "open";
      return confirmation.soon ? "waiting" : opening;
    case "done":
      if (confirmation.verdict === "quarantined") return "waiting";
      return confirmation.verdict === "paid" && !publishes ? "recorded" : opening;
  }
}

/**
 * The confirmed invoice and its confirmation are there, and say that it was paid, as far as they have said
 * anything.
 */
function isEvident({ stored, confirmation }: KnownPayment): boolean {
  if (!stored || confirmation === null) return false;
  return confirmation.state !== "done" || ["paid", "quarantined"].includes(confirmation.verdict ?? "");
}

// A creation only says that the payment came later.
function isWithin(moment: Date | null, isCreation: boolean, { from, to }: SweepTerms): boolean {
  if (moment === null) return true;
  return (isCreation || moment >= from) && (to === null || moment < to);
}
