import { z } from "zod";
import { VERDICTS } from "../pipeline/confirm/index.ts";
import type { Remedy } from "../platform/errors/index.ts";
import { clock, moneyIn, sentence, shortText } from "../platform/values/index.ts";
import { answeredId, eventState, remedy, time, whole } from "./list/fields.ts";

const verdict = z.enum(VERDICTS).nullable();
const pausedBy = z.enum(["operator", "refused"]).nullable();
const openedBy = z.enum(["callback", "reconcile", "replay", "operator"]);
const text = z.string();

const entry = <const Kind extends string, Fields extends z.ZodRawShape>(kind: Kind, fields: Fields) =>
  z.object({ kind: z.literal(kind), at: time, ...fields });

/** Everything that the tables say about one invoice; no personal data, no document, no secret. */
export const timeline = z.object({
  invoiceId: answeredId,
  at: time.describe("When it was read, by Postgres' clock, which all times in it are of."),
  invoices: z
    .array(
      z.object({
        source: text,
        status: text,
        type: text.nullable(),
        collectionName: text.nullable(),
        reference: text.nullable(),
        totalAmount: text.nullable().describe("A decimal string, exact."),
        paidAt: time.nullable(),
        confirmedAt: time,
        erasedAt: time.nullable(),
      }),
    )
    .describe("The newest confirmed answer of each source that has one."),
  confirmations: z
    .array(
      z.object({
        source: text,
        state: z.enum(["due", "claimed", "done", "dead"]),
        verdict,
        priority: text,
        requests: whole.describe("How often it was asked for: callbacks, reconcile, replays."),
        attempt: whole.describe("Answers that called for another try."),
        faults: whole.describe("Failures in a row."),
        dueAt: time,
        claimedUntil: time.nullable(),
        lastError: text.nullable(),
        sourcePausedBy: pausedBy,
        sourceOpensAt: time.nullable().describe("While the source backs off: until when."),
        sourceError: text.nullable(),
      }),
    )
    .describe("A confirmation for each source that asked."),
  events: z
    .array(
      z.object({
        source: text,
        id: answeredId,
        type: text,
        state: eventState,
        attempt: whole,
        dueAt: time.nullable().describe("null once it is published."),
        lastError: text.nullable(),
      }),
    )
    .describe("An event for each source that has one."),
  entries: z
    .array(
      z.discriminatedUnion("kind", [
        entry("callback", {
          id: answeredId,
          source: text,
          method: text,
          remoteAddress: text.nullable(),
          foundBy: text.nullable(),
          verdict: text.nullable(),
          bytes: whole.nullable().describe("null once its personal data was erased."),
        }),
        entry("confirmation", { source: text, openedBy }),
        entry("paid", { source: text }),
        entry("answer", { source: text, status: text }),
        entry("verdict", { source: text, verdict, state: z.enum(["done", "dead"]) }),
        entry("event", { source: text, id: answeredId, type: text }),
        entry("publication", {
          source: text,
          topicArn: text,
          messageId: text,
          replayId: answeredId.nullable(),
          replayedBy: text.nullable().describe("Who asked for that replay."),
        }),
        entry("ask_failed", { source: text, error: text }),
        entry("send_failed", { source: text, error: text }),
        entry("action", { actor: text, action: text, subject: text, reason: text.nullable() }),
        entry("alarm", { source: text, name: text, detail: text, times: whole }),
        entry("alarm_cleared", { source: text, name: text }),
      ]),
    )
    .describe("In the order of time."),
  furtherCallbacks: whole.describe("Callbacks beyond those among the entries."),
  closedTopics: z
    .array(z.object({ arn: text, pausedBy, opensAt: time.nullable(), lastError: text.nullable() }))
    .describe("Topics that accept nothing now."),
  meaning: z.array(text).describe("The state and the next step, in a sentence or two each."),
  next: z.array(remedy.extend({ why: text })).describe("Remedies that a person can apply."),
});

export type Timeline = Omit<z.output<typeof timeline>, "meaning" | "next">;
export type TimelineEntry = Timeline["entries"][number];
export type TimelineInvoice = Timeline["invoices"][number];
export type TimelineConfirmation = Timeline["confirmations"][number];
export type TimelineEvent = Timeline["events"][number];
export type ClosedTopic = Timeline["closedTopics"][number];

/** The order of entries that carry the same time. */
const ORDER: Record<TimelineEntry["kind"], number> = {
  paid: 0,
  callback: 1,
  confirmation: 2,
  answer: 3,
  ask_failed: 4,
  verdict: 5,
  action: 6,
  event: 7,
  send_failed: 8,
  publication: 9,
  alarm: 10,
  alarm_cleared: 11,
};

export const byTime = (one: TimelineEntry, other: TimelineEntry): number =>
  +one.at - +other.at || ORDER[one.kind] - ORDER[other.kind];

/** Work that is this much overdue, in ms, is not being done by anyone. */
const NOBODY_WORKS_MS = 30_000;

/**
 * Explains the state of an invoice and its next step to the person on call, in a sentence or two each. Pure.
 */
export function meaningOf(timeline: Timeline): string[] {
  const { confirmations, events, invoices, closedTopics, at: now } = timeline;
  const sources = new Set([...confirmations, ...events].map(({ source }) => source));
  const named = (source: string, said: string) => (sources.size > 1 ? `Source ${source}: ${said}` : said);
  const lines = confirmations.map((confirmation) => {
    const invoice = invoices.find(({ source }) => source === confirmation.source) ?? null;
    return named(confirmation.source, confirmationMeaning(confirmation, invoice, now));
  });
  if (confirmations.length === 0)
    lines.push("No confirmation was opened: the provider was not asked about it.");
  for (const event of events) lines.push(named(event.source, eventMeaning(event, closedTopics, now)));
  if (invoices.some(({ erasedAt }) => erasedAt !== null))
    lines.push("Its personal data was erased here; ids and amounts stay.");
  return lines;
}

/** With what it means, and what may be done. */
export const explained = (timeline: Timeline) => ({
  ...timeline,
  ...{ meaning: meaningOf(timeline), next: nextOf(timeline) },
});

function confirmationMeaning(
  confirmation: TimelineConfirmation,
  invoice: TimelineInvoice | null,
  now: Date,
): string {
  switch (confirmation.state) {
    case "claimed":
      return confirmation.claimedUntil !== null && confirmation.claimedUntil < now
        ? "A worker leased it and has stopped; another takes over automatically. If that does not happen, " +
            "see whether the relay runs."
        : "A worker is asking the provider right now.";
    case "due":
      return `${whyAgain(confirmation, invoice)} ${whenAgain(confirmation, now)}`;
    case "dead":
      return `Given up, and among the dead letters: ${sentence(confirmation.lastError ?? "no reason was kept")}`;
    case "done":
      return VERDICT_MEANS[confirmation.verdict ?? "pending"]?.(invoice?.status ?? "nothing") ?? NO_VERDICT;
  }
}

type Verdict = NonNullable<TimelineConfirmation["verdict"]>;

const VERDICT_MEANS: Partial<Record<Verdict, (status: string) => string>> = {
  paid: () => "The provider confirmed that it is paid.",
  quarantined: () => "It is paid, but held back: its collection is not in COLLECTION_IDS.",
  invalidated: (status) =>
    `The provider says ${status}: it can no longer be paid. No event is published; a new callback ` +
    "would ask again.",
  not_paid: (status) =>
    `The provider said ${status} to the end of the retry schedule. It is not asked again until a new ` +
    "callback or reconcile names it.",
  unknown_invoice: () =>
    "The provider does not know this invoice. The callback's sender made the id up, or used " +
    "another account's. A new callback asks again.",
};

const NO_VERDICT = "It was closed without a verdict, which should not happen.";

/** Lists the remedies that a person can apply to an unfinished invoice. Pure. */
function nextOf(timeline: Timeline): Next[] {
  const { confirmations, events, closedTopics, invoiceId } = timeline;
  const several = new Set([...confirmations, ...events].map(({ source }) => source)).size > 1;
  const about = (id: string, source: string) => ({ ids: [id], ...(several && { source }) });
  const next: Next[] = [];
  for (const { state, verdict, source, sourcePausedBy } of confirmations) {
    const add = (remedy: Remedy, why: string) =>
      next.push({ ...remedy, why: several ? `${why} (source ${source})` : why });
    if (state === "dead") add({ operation: "retryDead", args: about(invoiceId, source) }, RETRY);
    if (state === "due" && sourcePausedBy === "operator")
      add({ operation: "resume", args: { work: "confirm", source } }, "Resume asking");
    if (state !== "done") continue;
    const filters = { invoiceIds: [invoiceId] };
    if (verdict === "quarantined")
      add({ operation: "releaseQuarantine", args: about(invoiceId, source) }, "If it is yours, release it");
    else if (verdict === null || !(verdict in VERDICT_MEANS))
      add({ operation: "startReplay", args: { kind: "confirmations", filters } }, "Ask again");
  }
  for (const { state, source, id } of events) {
    if (state === "dead") next.push({ operation: "retryDead", args: about(id, source), why: RETRY });
    if (state === "lost")
      next.push({ operation: "reconcile", args: {}, why: "Reconcile its day, which sends it" });
    if (state === "due" && closedTopics.some(({ pausedBy }) => pausedBy === "operator"))
      next.push({ operation: "resume", args: { work: "publish" }, why: "Resume sending" });
  }
  return next;
}

type Next = Remedy & { why: string };

const RETRY = "Once the cause is gone, retry it";

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
      "Asking is paused, because the provider refuses the key: check COLLECTION_API_KEY. It resumes " +
      "automatically once the key works."
    );
  if (confirmation.sourcePausedBy === "operator") return "Asking was paused by an operator.";
  if (confirmation.sourceOpensAt !== null && confirmation.sourceOpensAt > confirmation.dueAt)
    return (
      `The provider is in trouble (${confirmation.sourceError ?? "no reason was kept"}), so the next ` +
      `request waits until ${clock(confirmation.sourceOpensAt)}.`
    );
  return whenDue("asked again", confirmation.dueAt, now);
}

function eventMeaning(event: TimelineEvent, closedTopics: readonly ClosedTopic[], now: Date): string {
  switch (event.state) {
    case "published":
      return (
        "The event is published: SNS accepted it. The relay's work is done; it does not see the work of " +
        "consumers."
      );
    case "lost":
      return (
        "The event is not queued, and no acceptance by SNS is stored, except of replays. Unless a replay went " +
        "to its topic, reconciling its day sends it again."
      );
    case "held":
      return (
        "The event is held, because this is a Test invoice and SNS_TEST_TOPIC_ARN is not set. Once it is, " +
        "the event is sent automatically."
      );
    case "dead":
      return `The event was given up: ${sentence(event.lastError ?? "no reason was kept")}`;
    case "claimed":
      return "The event is being sent to SNS right now.";
    case "due": {
      const why = event.lastError === null ? "" : ` The last try failed: ${sentence(event.lastError)}`;
      const closed = closedTopics.map(({ arn, pausedBy, lastError }) =>
        pausedBy === "operator"
          ? ` Topic ${arn} was paused by an operator.`
          : ` Topic ${arn} accepts no events now: ${sentence(lastError ?? "no reason was kept")}`,
      );
      const next = event.dueAt === null ? "" : whenDue("sent", event.dueAt, now);
      const then = closed.length > 0 ? "It is sent automatically once that is over." : next;
      return `The event waits to be published.${why}${closed.join("")} ${then}`;
    }
  }
}

function whenDue(what: string, dueAt: Date, now: Date): string {
  const overdueMs = +now - +dueAt;
  if (overdueMs > NOBODY_WORKS_MS)
    return `It has been due since ${clock(dueAt)} and was not done: see whether the relay runs, with workers.`;
  return `It will be ${what} ${overdueMs >= 0 ? "any moment now" : `at ${clock(dueAt)}`}.`;
}

/** An invoice in one line, as the provider last described it. Pure. */
export function headlineOf(
  { invoices, confirmations }: Timeline,
  currencyOf: (source: string) => string | undefined,
): string {
  const [invoice] = invoices;
  if (invoice === undefined)
    return `source ${confirmations[0]?.source ?? "unknown"}; the provider has confirmed nothing yet`;
  const parts = [
    shortText(invoice.status),
    invoice.type,
    invoice.totalAmount === null
      ? null
      : `${moneyIn(currencyOf(invoice.source), invoice.totalAmount)} in total`,
    invoice.collectionName === null ? null : `collection "${invoice.collectionName}"`,
    invoice.paidAt === null ? null : `paid at ${clockText(invoice.paidAt)}`,
    invoice.reference === null ? null : `reference ${invoice.reference}`,
    invoice.erasedAt === null ? null : "personal data erased",
    `source ${invoices.map(({ source }) => source).join(" and ")}`,
  ];
  return parts.filter((part) => part !== null).join(", ");
}

/** A time of a timeline, to the millisecond. */
export const clockText = (at: Date): string => at.toISOString().replace("T", " ");
