import { FARTHEST_ZONE_MS, possiblePayment } from "../list/list-dates.ts";
import { decideAsking, type ListedPayment } from "../list/listed-payment.ts";
import type { KnownPayment } from "./known-payments.ts";

/** The list's facts on a payment; without a digest if only the books show it. */
export type ListedFacts = Pick<ListedPayment, "paidAt" | "paidUntil" | "createdAt" | "saysPaid"> & {
  digest: string | null;
};

export interface SweepTerms {
  /** The payments that it covers; `to` is null for all up to now. */
  from: Date;
  to: Date | null;
  /** The source's first `serve`: payments from then on are published. */
  firstServedAt: Date | null;
  /** Also publish what was paid before that. */
  publishEarlier: boolean;
  /** An earlier sweep has seen what was paid before the first `serve`: what is new to this one came later. */
  seenBefore: boolean;
  /** Asked for by a person: what was asked about for the same listed item is asked about again. */
  asksAgain: boolean;
  now: Date;
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
  /** The provider said that it is not paid, and the list has not changed since. */
  | "answered"
  | "open"
  | "open_to_record"
  /** It is paid and has its event, and the list calls it something new. */
  | "ask_again";

/**
 * The next step for a payment of the list. Pure. Only the confirmed answer dates it. Until then the list's
 * date, or that of its creation, only says whether it is to be published at once; if that is not enough, it
 * is only recorded, and the answer supplies the date for the next sweep. If the evidence of a published
 * payment is gone, or the list gives it a new status, it is asked about again.
 */
export function decideOpening(listed: ListedFacts, known: KnownPayment, terms: SweepTerms): Opening {
  const { now } = terms;
  const createdAt = known.createdAt ?? listed.createdAt;
  const paidAt = possiblePayment(known.paidAt, createdAt, now);
  if (!isWithin(paidAt ?? createdAt, paidAt === null, terms)) return "elsewhere";
  const { confirmation, isPaid, askedDigest } = known;
  const asking = decideAsking(listed, { isPaid, digest: askedDigest });
  if (known.event === "lost") return "requeue";
  if (known.event !== "none") {
    if (!isEvident(known)) return "open";
    const isNew = isPaid && asking === "ask" && listed.digest !== null;
    return isNew && confirmation?.state === "done" ? "ask_again" : "complete";
  }
  const since = paidAt ?? possiblePayment(listed.paidAt, createdAt, now) ?? createdAt;
  const publishes =
    (terms.publishEarlier && !isDatedElsewhere(listed, known, terms)) ||
    isSinceFirstServe(since, known, terms);
  const opening = publishes ? "open" : "open_to_record";
  if (confirmation === null) return opening;
  const isAnswered = asking === "unchanged" && !terms.asksAgain;
  switch (confirmation.state) {
    case "dead":
      return asking === "ask" && askedDigest !== null ? opening : "waiting";
    case "due":
    case "claimed":
      if (confirmation.recordOnly && publishes) return "open";
      return confirmation.soon || isAnswered ? "waiting" : opening;
    case "done":
      if (confirmation.verdict === "quarantined") return "waiting";
      if (confirmation.verdict === "paid") return publishes ? opening : "recorded";
      return isAnswered ? "answered" : opening;
  }
}

/**
 * The list dates it outside the window, and no answer has dated it yet: it is asked about, but counts only in
 * the window that the answer puts it in. A day without a time is in each window that it touches.
 */
export function isDatedElsewhere(
  { paidAt, paidUntil, ...listed }: ListedFacts,
  known: KnownPayment,
  { from, to, now }: SweepTerms,
): boolean {
  const createdAt = known.createdAt ?? listed.createdAt;
  if (possiblePayment(known.paidAt, createdAt, now) !== null) return false;
  const hint = possiblePayment(paidAt, createdAt, now);
  return hint !== null && ((paidUntil ?? hint) < from || (to !== null && hint >= to));
}

function isSinceFirstServe(
  since: Date | null,
  { confirmation }: KnownPayment,
  { firstServedAt, seenBefore }: SweepTerms,
): boolean {
  if (firstServedAt === null || since === null) return false;
  // The provider's clock may be hours behind Postgres'.
  const slackMs = seenBefore && confirmation === null ? FARTHEST_ZONE_MS : 0;
  return since.getTime() >= firstServedAt.getTime() - slackMs;
}

/**
 * Whether the confirmed invoice and its confirmation exist, and do not contradict that it was paid.
 */
function isEvident({ stored, confirmation }: KnownPayment): boolean {
  if (!stored || confirmation === null) return false;
  return confirmation.state !== "done" || ["paid", "quarantined"].includes(confirmation.verdict ?? "");
}

// The time of creation only proves that the payment came later, and one in the future proves nothing.
function isWithin(moment: Date | null, isCreation: boolean, { from, to, now }: SweepTerms): boolean {
  if (moment === null || (isCreation && moment > now)) return true;
  return (isCreation || moment >= from) && (to === null || moment < to);
}
