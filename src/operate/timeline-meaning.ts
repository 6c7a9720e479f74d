import { shortText } from "../kit/text.ts";
import { clock } from "../kit/time.ts";
import type {
  ClosedTopic,
  Timeline,
  TimelineConfirmation,
  TimelineEvent,
  TimelineInvoice,
} from "./timeline.ts";

/** Work that is this much overdue, in ms, is not being done by anyone. */
const NOBODY_WORKS_MS = 30_000;

/**
 * What the state of an invoice means and what happens next, for who is on call at night. A sentence or two
 * each. Pure.
 */
export function meaningOf(timeline: Timeline): string[] {
  const { confirmations, events, invoices, invoiceId, closedTopics, at: now } = timeline;
  const sources = new Set([...confirmations, ...events].map(({ source }) => source));
  const named = (source: string, said: string) => (sources.size > 1 ? `Source ${source}: ${said}` : said);
  const lines = confirmations.map((confirmation) => {
    const invoice = invoices.find(({ source }) => source === confirmation.source) ?? null;
    return named(confirmation.source, confirmationMeaning(confirmation, invoice, invoiceId, now));
  });
  if (confirmations.length === 0)
    lines.push("No confirmation was opened: nobody asked the provider about it.");
  for (const event of events) lines.push(named(event.source, eventMeaning(event, closedTopics, now)));
  if (invoices.some(({ erasedAt }) => erasedAt !== null))
    lines.push("Its personal data was erased here; ids and amounts stay.");
  return lines;
}

function confirmationMeaning(
  confirmation: TimelineConfirmation,
  invoice: TimelineInvoice | null,
  invoiceId: string,
  now: Date,
): string {
  switch (confirmation.state) {
    case "claimed":
      return confirmation.claimedUntil !== null && confirmation.claimedUntil < now
        ? "A worker took it and is gone; the next one takes it up by itself. If that does not happen, " +
            "see whether serve runs."
        : "A worker is asking the provider right now.";
    case "due":
      return `${whyAgain(confirmation, invoice)} ${whenAgain(confirmation, now)}`;
    case "dead":
      return (
        "Given up, and among the dead letters: " +
        `${sentence(confirmation.lastError ?? "no reason was kept")} Once the cause is gone: ` +
        `invoice-relay dead retry ${invoiceId}`
      );
    case "done":
      return (
        VERDICT_MEANS[confirmation.verdict ?? "pending"]?.(invoice?.status ?? "nothing", invoiceId) ??
        NO_VERDICT
      );
  }
}

type Verdict = NonNullable<TimelineConfirmation["verdict"]>;

const VERDICT_MEANS: Partial<Record<Verdict, (status: string, invoiceId: string) => string>> = {
  paid: () => "The provider confirmed that it is paid.",
  quarantined: (_, invoiceId) =>
    "It is paid, but held back: its collection is not in COLLECTION_IDS. If it is yours after all: " +
    `invoice-relay quarantine release ${invoiceId}`,
  invalidated: (status) =>
    `The provider says ${status}: it can no longer be paid. No event is published; a new callback ` +
    "would ask again.",
  not_paid: (status) =>
    `The provider said ${status} to the end of the ladder. It is not asked again until a new ` +
    "callback or reconcile names it.",
  unknown_invoice: () =>
    "The provider does not know this invoice. Whoever sent the callback made the id up, or used " +
    "another account's. A new callback asks again.",
};

const NO_VERDICT =
  "It was closed without a verdict, which should not happen. Ask again: invoice-relay replay confirmations.";

function whyAgain(confirmation: TimelineConfirmation, invoice: TimelineInvoice | null): string {
  if (confirmation.faults > 0)
    return (
      `The last ${confirmation.faults === 1 ? "try" : `${confirmation.faults} tries`} failed: ` +
      `${sentence(confirmation.lastError ?? "no reason was kept")}`
    );
  if (confirmation.lastError !== null) return sentence(confirmation.lastError);
  if (confirmation.attempt === 0)
    return invoice === null ? "The provider was not asked yet." : "It is to be asked again.";
  const times = ["", "once", "twice"][confirmation.attempt] ?? `${confirmation.attempt} times`;
  return invoice === null
    ? `The provider does not know it yet (asked ${times}).`
    : `The provider still says ${shortText(invoice.status)} (asked ${times}).`;
}

function whenAgain(confirmation: TimelineConfirmation, now: Date): string {
  if (confirmation.sourcePausedBy === "refused")
    return (
      "Asking is paused, because the provider refuses the key: check COLLECTION_API_KEY. It goes on by " +
      "itself once the key works."
    );
  if (confirmation.sourcePausedBy === "operator")
    return "Asking was paused by an operator: invoice-relay resume confirm.";
  if (confirmation.sourceOpensAt !== null && confirmation.sourceOpensAt > confirmation.dueAt)
    return (
      `The provider is in trouble (${confirmation.sourceError ?? "no reason was kept"}), so nothing is ` +
      `asked before ${clock(confirmation.sourceOpensAt)}.`
    );
  return whenDue("Asked again", confirmation.dueAt, now);
}

function eventMeaning(event: TimelineEvent, closedTopics: readonly ClosedTopic[], now: Date): string {
  switch (event.state) {
    case "published":
      return (
        "The event is published: SNS accepted it. Nothing is left to do here; what consumers do with it, " +
        "only they know."
      );
    case "lost":
      return (
        "The event waits nowhere, and SNS' acceptance is not kept, replays aside. Unless one of those went " +
        "to its topic, this sends it again: invoice-relay reconcile."
      );
    case "held":
      return (
        "The event is held, because this is a Test invoice and SNS_TEST_TOPIC_ARN is not set. Once it is, " +
        "the event goes out by itself."
      );
    case "dead":
      return (
        `The event was given up: ${sentence(event.lastError ?? "no reason was kept")} Once the cause is ` +
        `gone: invoice-relay dead retry ${event.id}`
      );
    case "claimed":
      return "The event is being sent to SNS right now.";
    case "due": {
      const why = event.lastError === null ? "" : ` The last try failed: ${sentence(event.lastError)}`;
      const closed = closedTopics.map(({ arn, pausedBy, lastError }) =>
        pausedBy === "operator"
          ? ` Topic ${arn} was paused by an operator: invoice-relay resume publish.`
          : ` Topic ${arn} takes nothing now: ${sentence(lastError ?? "no reason was kept")}`,
      );
      const next = event.dueAt === null ? "" : whenDue("Sent", event.dueAt, now);
      const then = closed.length > 0 ? "It is sent by itself once that is over." : next;
      return `The event waits to be published.${why}${closed.join("")} ${then}`;
    }
  }
}

function whenDue(what: string, dueAt: Date, now: Date): string {
  const overdueMs = +now - +dueAt;
  if (overdueMs > NOBODY_WORKS_MS)
    return (
      `It has been due since ${clock(dueAt)} and nobody does it: see whether invoice-relay serve runs, ` +
      "with workers."
    );
  return overdueMs >= 0 ? `${what} any moment now.` : `${what} at ${clock(dueAt)}.`;
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
