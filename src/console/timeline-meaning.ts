import type { EventState, KnownInvoice, QuestionState, ShutTopic, Timeline } from "./timeline.ts";

/** Work that is this much overdue, in ms, is not being done by anyone. */
const NOBODY_WORKS_MS = 30_000;

/** What the state of an invoice means and what happens next, for who is on call at night. A sentence or two each. Pure. */
export function meaningOf(timeline: Timeline, now: Date): string[] {
  const { questions, event, invoice, invoiceId, shutTopics } = timeline;
  const lines = questions.map((question) => {
    const said = questionMeaning(question, invoice, invoiceId, now);
    return questions.length > 1 ? `Source ${question.source}: ${said}` : said;
  });
  if (questions.length === 0) lines.push("No question was opened: nobody asked the provider about it.");
  if (event !== null) lines.push(eventMeaning(event, shutTopics, now));
  return lines;
}

function questionMeaning(
  question: QuestionState,
  invoice: KnownInvoice | null,
  invoiceId: string,
  now: Date,
): string {
  switch (question.state) {
    case "claimed":
      return question.claimedUntil !== null && question.claimedUntil < now
        ? "A worker took it and is gone; the next one takes it up by itself. If that does not happen, see whether serve runs."
        : "A worker is asking the provider right now.";
    case "due":
      return `${whyAgain(question, invoice)} ${whenAgain(question, now)}`;
    case "dead":
      return `Given up and set aside: ${sentence(question.lastError ?? "no reason was kept")} Once the cause is gone: invoice-relay dead retry ${invoiceId}`;
    case "done":
      return verdictMeaning(question, invoice, invoiceId);
  }
}

function verdictMeaning(question: QuestionState, invoice: KnownInvoice | null, invoiceId: string): string {
  const status = invoice?.status ?? "nothing";
  switch (question.verdict) {
    case "paid":
      return "The provider confirmed that it is paid.";
    case "quarantined":
      return `It is paid, but held back: its collection is none of COLLECTION_IDS. If it is yours after all: invoice-relay quarantine release ${invoiceId}`;
    case "invalidated":
      return `The provider says ${status}: it can no longer be paid. No event is published; a new callback would ask again.`;
    case "not_paid":
      return `The provider said ${status} to the end of the ladder. It is not asked again until a new callback or reconcile names it.`;
    case "unknown_invoice":
      return "The provider does not know this invoice. Whoever sent the callback made the id up, or used another account's. A new callback asks again.";
    default:
      return "It was closed without a verdict, which should not happen. Ask again: invoice-relay replay confirmations.";
  }
}

function whyAgain(question: QuestionState, invoice: KnownInvoice | null): string {
  if (question.faults > 0)
    return `The last ${question.faults === 1 ? "try" : `${question.faults} tries`} failed: ${sentence(question.lastError ?? "no reason was kept")}`;
  if (question.lastError !== null) return sentence(question.lastError);
  if (question.attempt === 0)
    return invoice === null ? "The provider was not asked yet." : "It is to be asked again.";
  const times = ["", "once", "twice"][question.attempt] ?? `${question.attempt} times`;
  return invoice === null
    ? `The provider does not know it yet (asked ${times}).`
    : `The provider still says ${invoice.status} (asked ${times}).`;
}

function whenAgain(question: QuestionState, now: Date): string {
  if (question.sourcePausedBy === "key_refused")
    return "Asking is paused, because the provider refuses the key: check COLLECTION_API_KEY. It goes on by itself once the key works.";
  if (question.sourcePausedBy === "operator")
    return "Asking was paused by an operator: invoice-relay resume confirm.";
  if (question.sourceOpensAt !== null && question.sourceOpensAt > question.dueAt)
    return `The provider is in trouble (${question.sourceError ?? "no reason was kept"}), so nothing is asked before ${clock(question.sourceOpensAt)}.`;
  return whenDue("Asked again", question.dueAt, now);
}

function eventMeaning(event: EventState, shutTopics: readonly ShutTopic[], now: Date): string {
  switch (event.state) {
    case "published":
      return "The event is published: SNS accepted it. Nothing is left to do here; what consumers do with it, only they know.";
    case "held":
      return "The event is held, because this is a Test invoice and SNS_TEST_TOPIC_ARN is not set.";
    case "dead":
      return `The event was given up: ${sentence(event.lastError ?? "no reason was kept")} Once the cause is gone: invoice-relay dead retry ${event.id}`;
    case "claimed":
      return "The event is being sent to SNS right now.";
    case "due": {
      const why = event.lastError === null ? "" : ` The last try failed: ${sentence(event.lastError)}`;
      const shut = shutTopics.map(
        ({ arn, pausedBy, lastError }) =>
          ` Topic ${arn} ${pausedBy === "operator" ? "was paused by an operator: invoice-relay resume publish." : `takes nothing now: ${sentence(lastError ?? "no reason was kept")}`}`,
      );
      return `The event waits to be published.${why}${shut.join("")} ${shut.length > 0 ? "It is sent by itself once that is over." : whenDue("Sent", event.dueAt, now)}`;
    }
  }
}

function whenDue(what: string, dueAt: Date, now: Date): string {
  const overdueMs = +now - +dueAt;
  if (overdueMs > NOBODY_WORKS_MS)
    return `It has been due since ${clock(dueAt)} and nobody does it: see whether invoice-relay serve runs, with workers.`;
  return overdueMs >= 0 ? `${what} any moment now.` : `${what} at ${clock(dueAt)}.`;
}

const clock = (at: Date): string => `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
