import type { ListedPayment } from "../list/listed-payment.ts";
import type { KnownPayment } from "./known-payments.ts";

export interface SweepTerms {
  /** The payments that it covers; `to` is null for all up to now. */
  from: Date;
  to: Date | null;
  /** The source's first `serve`: payments from then on are published. */
  firstServedAt: Date | null;
  /** Also publish what was paid before that. */
  publishEarlier: boolean;
}

export type Opening =
  /** Paid outside the window: left to another sweep. */
  | "elsewhere"
  /** Its event was accepted or is queued. */
  | "complete"
  /** Its event is not queued, and no acceptance on the right topic is stored. */
  | "requeue"
  /** It has no event; it is being asked about, or waits visibly for a person: dead or quarantined. */
  | "waiting"
  /** It has no event, because it is only recorded. */
  | "recorded"
  | "open"
  | "open_to_record";

/**
 * What a payment of the list needs. Pure. Without a time of payment from the list, that of the confirmed
 * answer counts. Without either, all that is known is that it was paid after its creation; if that is not
 * enough, it is only recorded, and the answer supplies the time for the next sweep. If the evidence of a
 * published payment is gone, it is asked about again.
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
 * Whether the confirmed invoice and its confirmation exist, and do not contradict that it was paid.
 */
function isEvident({ stored, confirmation }: KnownPayment): boolean {
  if (!stored || confirmation === null) return false;
  return confirmation.state !== "done" || ["paid", "quarantined"].includes(confirmation.verdict ?? "");
}

// The time of creation only proves that the payment came later.
function isWithin(moment: Date | null, isCreation: boolean, { from, to }: SweepTerms): boolean {
  if (moment === null) return true;
  return (isCreation || moment >= from) && (to === null || moment < to);
}
