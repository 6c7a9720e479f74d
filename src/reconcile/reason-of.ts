import type { Money } from "../collection-api/index.ts";
import type { Reason } from "./certificate.ts";
import type { LedgerEntry } from "./ledger.ts";

/** Why a payment has no accepted publication: the first thing on its path that is not done. */
export function reasonOf({ question, event }: LedgerEntry): Reason {
  if (event !== null) {
    switch (event.state) {
      case "published":
        return "no_acceptance";
      case "dead":
        return "event_dead";
      case "held":
        return "held";
      case "due":
      case "claimed":
        return "unpublished";
    }
  }
  if (question === null) return "missing";
  if (question.state === "dead") return "dead";
  if (question.state !== "done") return "not_confirmed";
  if (question.verdict === "quarantined") return "quarantined";
  if (question.verdict !== "paid") return "not_paid";
  return question.recordOnly ? "recorded_only" : "event_missing";
}

/** The reason in plain words, without personal data. */
export function detailOf(
  reason: Reason,
  { question, event, stored }: LedgerEntry,
  listed: Money | null,
): string {
  const because = (error: string | null | undefined) => (error ? `: ${error}` : "");
  switch (reason) {
    case "missing":
      return "no callback named it and no sweep has found it yet";
    case "not_confirmed":
      return `the provider has not confirmed it yet${because(question?.lastError)}`;
    case "dead":
      return `given up after many answers${because(question?.lastError)}`;
    case "quarantined":
      return `quarantined${because(question?.lastError)}`;
    case "not_paid":
      return `the list says paid, but Get Invoice said ${saidInstead(question?.verdict ?? null)}`;
    case "recorded_only":
      return "recorded by a back-fill without --publish";
    case "event_missing":
      return "confirmed as paid, but its event is not there";
    case "unpublished":
      return `its event waits to be published${because(event?.lastError)}`;
    case "event_dead":
      return `SNS refused its event${because(event?.lastError)}`;
    case "held":
      return "its event is held, as those of Test invoices are";
    case "no_acceptance":
      return "its event counts as published, but no acceptance by SNS is kept";
    case "amount_differs":
      return `the list says ${listed ?? "no amount"}, stored is ${stored?.amount ?? "none"}, published ${event?.amount ?? "none"}`;
    case "not_at_provider":
      return "stored as paid, but the provider's list does not show it";
    case "test":
      return "a Test invoice";
    case "before_start":
      return "paid before the relay first served this source";
    case "recent":
      return "paid less than 10 minutes ago";
  }
}

function saidInstead(verdict: string | null): string {
  switch (verdict) {
    case "not_paid":
      return "unpaid until its questions ended";
    case "invalidated":
      return "invalid";
    case "unknown_invoice":
      return "that it does not exist";
    default:
      return "something else";
  }
}
