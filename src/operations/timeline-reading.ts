import { sql } from "kysely";
import { answersInOrder, type Verdict } from "../pipeline/confirm/index.ts";
import { eventState, isLive, paidEventId } from "../pipeline/publish/index.ts";
import { firstCallbacksNaming } from "../pipeline/receive/index.ts";
import { readHistory } from "../platform/audit/index.ts";
import {
  type Database,
  databaseTime,
  inSnapshot,
  nullable,
  query,
  returned,
  sourcesIn,
  typed,
} from "../platform/database/index.ts";
import {
  byTime,
  type ClosedTopic,
  type Timeline,
  type TimelineEntry,
  type TimelineInvoice,
} from "./timeline.ts";

/** The most callbacks that are shown: enough to see a pattern. */
const CALLBACK_LIMIT = 200;

/** The most failures, pauses and earlier verdicts that are shown; the same of each other kind. */
const HISTORY_LIMIT = 200;

/**
 * Everything that happened to one invoice, read from the tables as of one moment.
 * @param invoiceId in lower case
 * @returns null when neither a callback nor anything else names it.
 */
export const readTimeline = (db: Database, invoiceId: string): Promise<Timeline | null> =>
  inSnapshot(db, (snapshot) => readAll(snapshot, invoiceId));

async function readAll(db: Database, invoiceId: string): Promise<Timeline | null> {
  const callbacks = await readCallbacks(db, invoiceId);
  const invoices: TimelineInvoice[] = await selectInvoices(db, invoiceId).execute();
  const confirmations = await readConfirmations(db, invoiceId);
  const answers = await readAnswers(db, invoiceId);
  const events = await readEvents(db, invoiceId);
  const publications = await readPublications(db, invoiceId);
  const others = await readActionsAndAlarms(db, invoiceId);
  const closedTopics: ClosedTopic[] = await selectClosedTopics(db).execute();
  const past = await readPast(db, invoiceId);
  if (callbacks.entries.length + confirmations.length + invoices.length + events.length === 0) return null;
  const entries: TimelineEntry[] = [
    ...callbacks.entries,
    ...confirmations.flatMap((one) => one.entries),
    ...invoices.flatMap(({ paidAt: at, source }): TimelineEntry[] =>
      at === null ? [] : [{ kind: "paid", at, source }],
    ),
    ...answers,
    ...events.map(({ entry }) => entry),
    ...publications,
    ...others,
    ...past,
  ];
  return {
    invoiceId,
    at: await databaseTime(db),
    invoices,
    confirmations: confirmations.map(({ confirmation }) => confirmation),
    events: events.map(({ event }) => event),
    entries: entries.sort(byTime),
    furtherCallbacks: callbacks.further,
    closedTopics,
  };
}

async function readCallbacks(db: Database, id: string) {
  const rows = await firstCallbacksNaming(db, id, CALLBACK_LIMIT);
  const total = rows[0]?.total ?? 0;
  const entries = rows.map(({ total: _, ...entry }): TimelineEntry => ({ kind: "callback", ...entry }));
  return { entries, further: total - rows.length };
}

const selectInvoices = query((db, id: string) =>
  db
    .selectFrom("invoice")
    .select(["source", "status", "type", "reference", "collection_name as collectionName"])
    .select(["total_amount as totalAmount", "paid_at as paidAt", "confirmed_at as confirmedAt"])
    .select("erased_at as erasedAt")
    .where("id", "=", id)
    .where(sql<boolean>`invoice.source = any(${sourcesIn("invoice")})`)
    .orderBy("source"),
);

const selectConfirmations = query((db, id: string) =>
  db
    .selectFrom("confirmation")
    .leftJoin("source", "source.name", "confirmation.source")
    .select(["confirmation.source", "confirmation.state", "verdict", "priority", "requests", "attempt"])
    .select(["confirmation.faults", "due_at as dueAt", "claimed_until as claimedUntil"])
    .select(["confirmation.last_error as lastError", "opened_at as openedAt", "opened_by as openedBy"])
    .select([
      "settled_at as settledAt",
      "source.paused_by as sourcePausedBy",
      "source.last_error as sourceError",
    ])
    .select(stillToCome("source.opens_at").as("sourceOpensAt"))
    .where("invoice_id", "=", id)
    .orderBy("opened_at")
    .orderBy("confirmation.source"),
);

async function readConfirmations(db: Database, id: string) {
  const confirmations = await selectConfirmations(db, id).execute();
  return confirmations.map(({ openedAt, openedBy, settledAt, ...confirmation }) => {
    const { source, verdict, state } = confirmation;
    const entries: TimelineEntry[] = [{ kind: "confirmation", at: openedAt, source, openedBy }];
    if (settledAt !== null && (state === "done" || state === "dead"))
      entries.push({ kind: "verdict", at: settledAt, source, verdict, state });
    return { confirmation, entries };
  });
}

async function readAnswers(db: Database, id: string): Promise<TimelineEntry[]> {
  const answers = await answersInOrder(db, id, HISTORY_LIMIT);
  return answers.map((answer) => ({ kind: "answer", ...answer }));
}

const selectActions = query((db, id: string) =>
  db
    .selectFrom("audit_entry")
    .select(["at", "actor", "action", "subject"])
    .select(typed(nullable(returned.text()), sql`detail->>'reason'`).as("reason"))
    .where("invoice_id", "=", id)
    .orderBy("id", "desc")
    .limit(HISTORY_LIMIT),
);

const selectAlarms = query((db, id: string) =>
  db
    .selectFrom("alarm")
    .select(["name", "source", "detail", "times", "raised_at as raisedAt", "cleared_at as clearedAt"])
    .where("subject", "=", id)
    .orderBy("raised_at", "desc")
    .limit(HISTORY_LIMIT),
);

async function readActionsAndAlarms(db: Database, id: string): Promise<TimelineEntry[]> {
  const actions = await selectActions(db, id).execute();
  const alarms = await selectAlarms(db, id).execute();
  return [
    ...actions.map((action): TimelineEntry => ({ kind: "action", ...action })),
    ...alarms.flatMap(({ name, source, detail, times, raisedAt, clearedAt }): TimelineEntry[] => [
      { kind: "alarm", at: raisedAt, source, name, detail, times },
      ...(clearedAt === null ? [] : [{ kind: "alarm_cleared" as const, at: clearedAt, source, name }]),
    ]),
  ];
}

/** Failures, and verdicts that later ones replaced. */
async function readPast(db: Database, id: string): Promise<TimelineEntry[]> {
  const entries = await readHistory(db, id, HISTORY_LIMIT);
  return entries.map(
    ({ at, source, kind, detail }): TimelineEntry =>
      kind === "verdict"
        ? { kind, at, source, verdict: detail as Verdict, state: detail === "pending" ? "dead" : "done" }
        : { kind, at, source, error: detail },
  );
}

const stillToCome = (column: string) =>
  typed(nullable(returned.time), sql`nullif(greatest(${sql.ref(column)}, now()), now())`);

const selectClosedTopics = query((db) =>
  db
    .selectFrom("topic")
    .select(["arn", "paused_by as pausedBy", "last_error as lastError"])
    .select(stillToCome("opens_at").as("opensAt"))
    .where(sql<boolean>`(paused_by is not null or opens_at > now())`)
    .orderBy("arn"),
);

const ACCEPTANCE_LIMIT = 200;

const selectEvents = query((db, id: string) =>
  db
    .selectFrom("event")
    .leftJoin("outbox", (join) =>
      join.onRef("outbox.source", "=", "event.source").onRef("outbox.event_id", "=", "event.id").on(isLive),
    )
    .select([
      "event.source",
      "event.id",
      "event.type",
      "event.created_at as createdAt",
      eventState.as("state"),
    ])
    .select(["outbox.due_at as dueAt", "outbox.last_error as lastError"])
    .select(({ fn, ref, val }) => fn.coalesce(ref("outbox.attempt"), val(0)).as("attempt"))
    .where("event.id", "=", paidEventId(sql`${id}::uuid`))
    .where(sql<boolean>`event.source = any(${sourcesIn("event")})`)
    .orderBy("event.source"),
);

async function readEvents(db: Database, id: string) {
  const events = await selectEvents(db, id).execute();
  return events.map(({ createdAt, ...event }) => {
    const { source, id: eventId, type } = event;
    const entry: TimelineEntry = { kind: "event", at: createdAt, source, id: eventId, type };
    return { event, entry };
  });
}

const selectPublications = query((db, id: string) =>
  db
    .selectFrom("event")
    .innerJoin("publication", (join) =>
      join.onRef("publication.source", "=", "event.source").onRef("publication.event_id", "=", "event.id"),
    )
    .leftJoin("replay", "replay.id", "publication.replay_id")
    .select(["publication.source", "published_at as at", "topic_arn as topicArn"])
    .select(["message_id as messageId", "replay_id as replayId", "replay.requested_by as replayedBy"])
    .where("event.id", "=", paidEventId(sql`${id}::uuid`))
    .where(sql<boolean>`event.source = any(${sourcesIn("event")})`)
    .orderBy("publication.id")
    .limit(ACCEPTANCE_LIMIT),
);

async function readPublications(db: Database, id: string): Promise<TimelineEntry[]> {
  const publications = await selectPublications(db, id).execute();
  return publications.map((publication) => ({ kind: "publication", ...publication }));
}
