import { sql } from "kysely";
import { readHistory } from "../alarms/history.ts";
import { answersInOrder } from "../confirm/invoices/read-invoices.ts";
import type { Verdict } from "../confirm/queue/confirmation.ts";
import { databaseTime } from "../database/server.ts";
import { nullable, returned, type Slots, Statement, sourcesIn, typed } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import { inSnapshot } from "../database/transactions.ts";
import { firstCallbacksNaming } from "../receive/log/list-callbacks.ts";
import {
  byTime,
  type ClosedTopic,
  type Timeline,
  type TimelineEntry,
  type TimelineEvent,
  type TimelineInvoice,
} from "./timeline.ts";
import { type Answer, readEvents, readPublications, withAnswersOfEvents } from "./timeline-events.ts";

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
  const invoices = await readInvoices(db, invoiceId);
  const confirmations = await readConfirmations(db, invoiceId);
  const answers = await readAnswers(db, invoiceId);
  const events = await readEvents(db, invoiceId);
  const publications = await readPublications(db, invoiceId);
  const others = await readActionsAndAlarms(db, invoiceId);
  const closedTopics = await readClosedTopics(db);
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

function readInvoices(db: Database, id: string): Promise<TimelineInvoice[]> {
  return db
    .selectFrom("invoice")
    .select(["source", "status", "type", "reference", "collection_name as collectionName"])
    .select(["total_amount as totalAmount", "paid_at as paidAt", "confirmed_at as confirmedAt"])
    .select("erased_at as erasedAt")
    .where("id", "=", id)
    .where(sql<boolean>`invoice.source = any(${sourcesIn("invoice")})`)
    .orderBy("source")
    .execute();
}

async function readConfirmations(db: Database, id: string) {
  const confirmations = await db
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
    .orderBy("confirmation.source")
    .execute();
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

async function readActionsAndAlarms(db: Database, id: string): Promise<TimelineEntry[]> {
  const actions = await db
    .selectFrom("audit_entry")
    .select(["at", "actor", "action", "subject"])
    .select(typed(nullable(returned.text()), sql`detail->>'reason'`).as("reason"))
    .where("invoice_id", "=", id)
    .orderBy("id", "desc")
    .limit(HISTORY_LIMIT)
    .execute();
  const alarms = await db
    .selectFrom("alarm")
    .select(["name", "source", "detail", "times", "raised_at as raisedAt", "cleared_at as clearedAt"])
    .where("subject", "=", id)
    .orderBy("raised_at", "desc")
    .limit(HISTORY_LIMIT)
    .execute();
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

/** Who had the invoice confirmed again by a replay; of events sent again their publications say it. */
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

/** Who paused the invoice's source or topics while it was under way, and who resumed them. */
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

async function readClosedTopics(db: Database): Promise<ClosedTopic[]> {
  return await db
    .selectFrom("topic")
    .select(["arn", "paused_by as pausedBy", "last_error as lastError"])
    .select(stillToCome("opens_at").as("opensAt"))
    .where(sql<boolean>`(paused_by is not null or opens_at > now())`)
    .orderBy("arn")
    .execute();
}
