import { sql } from "kysely";
import { answersInOrder, type Verdict } from "../pipeline/confirm/index.ts";
import { eventState, inPayload, isLive, paidEventId } from "../pipeline/publish/index.ts";
import { firstCallbacksNaming } from "../pipeline/receive/index.ts";
import { readHistory } from "../platform/audit/index.ts";
import {
  type Database,
  databaseTime,
  inSnapshot,
  nullable,
  query,
  returned,
  type Slots,
  Statement,
  sourcesIn,
  typed,
} from "../platform/database/index.ts";
import {
  byTime,
  type ClosedTopic,
  type Timeline,
  type TimelineEntry,
  type TimelineEvent,
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
  const past = [...(await readPast(db, invoiceId)), ...(await selectReplays.execute(db, invoiceId))];
  if (callbacks.entries.length + confirmations.length + invoices.length + events.length === 0) return null;
  const entries: TimelineEntry[] = [
    ...callbacks.entries,
    ...confirmations.flatMap((one) => one.entries),
    ...invoices.flatMap(({ paidAt: at, source }): TimelineEntry[] =>
      at === null ? [] : [{ kind: "paid", at, source }],
    ),
    ...withAnswersOfEvents(answers, events),
    ...events.map(({ entry }) => entry),
    ...publications,
    ...others,
    ...past,
  ];
  const upstreamActions = await readUpstreamActions(db, confirmations, publications, events);
  entries.push(...upstreamActions);
  return {
    invoiceId,
    at: await databaseTime(db),
    invoices,
    confirmations: confirmations.map(({ standing }) => standing),
    events: events.map(({ standing }) => standing),
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
  return confirmations.map(({ openedAt, openedBy, settledAt, ...standing }) => {
    const { source, verdict, state } = standing;
    const entries: TimelineEntry[] = [{ kind: "confirmation", at: openedAt, source, openedBy }];
    if (settledAt !== null && (state === "done" || state === "dead"))
      entries.push({ kind: "verdict", at: settledAt, source, verdict, state });
    return { standing, entries };
  });
}

async function readAnswers(db: Database, id: string): Promise<Answer[]> {
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

const ACTION = {
  kind: returned.text<"action">(),
  at: returned.time,
  actor: returned.text(),
  action: returned.text(),
  subject: returned.text(),
  reason: nullable(returned.text()),
} as const;

/** The person who had a replay confirm the invoice again; for events sent again, publications name the person. */
const selectReplays = new Statement(
  ACTION,
  ({ value }: Slots<string>) => sql`
    select 'action' as kind, noted.at, replay.requested_by as actor, 'replay.' || replay.kind as action,
      noted.detail as subject,
      (select started.detail->>'reason' from audit_entry as started
        where started.subject = noted.detail and started.action = 'replay.start') as reason
    from history_entry as noted
    join replay on replay.id = noted.detail::uuid
    where noted.invoice_id = ${value((invoiceId) => invoiceId)} and noted.kind = 'replayed'
    order by noted.id limit ${HISTORY_LIMIT}`,
);

interface TimelineScope {
  /** Names of sources, ARNs of topics. */
  subjects: readonly string[];
  /** The invoice is still under way: an event that waits may go to any topic that is paused. */
  isOpen: boolean;
  from: Date;
  /** null: still. */
  to: Date | null;
}

// A pause from before counts as well, unless it had ended by then.
const selectUpstreamActions = new Statement(ACTION, ({ value }: Slots<TimelineScope>) => {
  const from = value((concerned) => concerned.from);
  const concerns = sql`
    action in ('pause.confirm', 'resume.confirm', 'pause.publish', 'resume.publish')
    and (subject = any(${value(({ subjects }) => subjects)}::text[])
      or (${value(({ isOpen }) => isOpen)}::boolean and action like '%.publish'))`;
  return sql`
    select 'action' as kind, at, actor, action, subject, detail->>'reason' as reason from (
      select * from audit_entry where ${concerns} and at >= ${from}::timestamptz
        and at <= coalesce(${value(({ to }) => to)}::timestamptz, 'infinity')
      union all
      select * from (
        select distinct on (subject) * from audit_entry where ${concerns} and at < ${from}::timestamptz
        order by subject, id desc) as last_before
      where action like 'pause.%') as concerning
    order by id limit ${HISTORY_LIMIT}`;
});

/** The people who paused the invoice's source or topics while it was under way, and who resumed them. */
async function readUpstreamActions(
  db: Database,
  confirmations: Awaited<ReturnType<typeof readConfirmations>>,
  publications: readonly TimelineEntry[],
  events: readonly { standing: TimelineEvent }[],
): Promise<TimelineEntry[]> {
  const opened = confirmations.flatMap(({ entries }) => entries.map(({ at }) => +at));
  if (opened.length === 0) return [];
  const isOpen =
    confirmations.some(({ standing: { state } }) => state === "due" || state === "claimed") ||
    events.some(({ standing: { state } }) => state === "due" || state === "claimed");
  const ends = [...opened, ...publications.map(({ at }) => +at)];
  const topics = publications.flatMap((entry) => (entry.kind === "publication" ? entry.topicArn : []));
  const from = new Date(Math.min(...opened));
  const to = isOpen ? null : new Date(Math.max(...ends));
  const subjects = [...confirmations.map(({ standing }) => standing.source), ...topics];
  return await selectUpstreamActions.execute(db, { subjects, isOpen, from, to });
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
    .select(
      typed(returned.json<{ status: string | null; confirmedAt: string | null }>(), answerOfEvent).as(
        "answer",
      ),
    )
    .where("event.id", "=", paidEventId(sql`${id}::uuid`))
    .where(sql<boolean>`event.source = any(${sourcesIn("event")})`)
    .orderBy("event.source"),
);

/** The events of an invoice, each with the answer that it was made from. */
async function readEvents(
  db: Database,
  id: string,
): Promise<{ standing: TimelineEvent; entry: Extract<TimelineEntry, { kind: "event" }>; answer: Answer }[]> {
  const events = await selectEvents(db, id).execute();
  return events.map(({ createdAt, answer, ...standing }) => {
    const { source, id: eventId, type } = standing;
    const entry = { kind: "event" as const, at: createdAt, source, id: eventId, type };
    const { status, confirmedAt } = answer;
    const at = new Date(confirmedAt ?? createdAt);
    return {
      standing,
      entry,
      answer: { kind: "answer", source, status: status ?? "Paid", at },
    };
  });
}

/** The answer that made the event, from the event itself: the tables keep only the newest time of an answer. */
const answerOfEvent = sql`json_build_object('confirmedAt', ${inPayload("confirmedAt")}, 'status', coalesce(
  (select status from invoice where invoice.source = event.source and invoice.id = event.invoice_id
    and invoice.digest = event.answer_digest),
  (select status from invoice_snapshot as snapshot where snapshot.source = event.source
    and snapshot.invoice_id = event.invoice_id and snapshot.digest = event.answer_digest limit 1)))`;

type Answer = Extract<TimelineEntry, { kind: "answer" }>;

/** Where the provider was asked again since, the answer that made the verdict and the event keeps its own time. */
const withAnswersOfEvents = (
  answers: readonly Answer[],
  events: readonly { entry: { source: string; at: Date }; answer: Answer }[],
): Answer[] => [
  ...answers,
  ...events
    .filter(({ entry: { source, at } }) => !answers.some((one) => one.source === source && one.at <= at))
    .map(({ answer }) => answer),
];

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
