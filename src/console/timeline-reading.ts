import { type Kysely, sql } from "kysely";
import type { OpenedBy, Tables } from "../database/tables.ts";
import type { Entry, EventState, KnownInvoice, QuestionState, ShutTopic, Timeline } from "./timeline.ts";

/** So many callbacks are shown: enough to see a pattern, however many came. */
const MOST_CALLBACKS = 200;

/** What happens first when two things carry the same time. */
const ORDER: Record<Entry["kind"], number> = {
  callback: 0,
  question: 1,
  answer: 2,
  verdict: 3,
  released: 4,
  event: 5,
  publication: 6,
  alarm: 7,
  alarm_cleared: 8,
};

/**
 * Everything that happened to one invoice, read from the tables.
 * @param invoiceId in lower case
 * @returns null when neither a callback nor anything else names it.
 */
export async function readTimeline(db: Kysely<Tables>, invoiceId: string): Promise<Timeline | null> {
  const callbacks = await readCallbacks(db, invoiceId);
  const [invoice, questions, answers, event, alarms, shutTopics] = await Promise.all([
    readInvoice(db, invoiceId),
    readQuestions(db, invoiceId),
    readAnswers(db, invoiceId),
    readEvent(db, invoiceId),
    readAlarms(db, invoiceId),
    readShutTopics(db),
  ]);
  if (callbacks.entries.length === 0 && questions.length === 0 && invoice === null && event === null)
    return null;
  const entries: Entry[] = [
    ...callbacks.entries,
    ...questions.flatMap(({ entries }) => entries),
    ...answers,
    ...(event === null ? [] : [event.entry, ...(await readPublications(db, event.state.id))]),
    ...alarms,
  ];
  return {
    invoiceId,
    invoice,
    questions: questions.map(({ state }) => state),
    event: event?.state ?? null,
    entries: entries.sort((one, other) => +one.at - +other.at || ORDER[one.kind] - ORDER[other.kind]),
    furtherCallbacks: callbacks.further,
    shutTopics,
  };
}

async function readCallbacks(db: Kysely<Tables>, id: string): Promise<{ entries: Entry[]; further: number }> {
  // Two branches, because each has an index of its own.
  const named = sql`
    select * from callback where invoice_ids[1] = ${id}
    union all
    select * from callback where cardinality(invoice_ids) > 1 and invoice_ids @> array[${id}]::uuid[] and invoice_ids[1] <> ${id}`;
  const { rows } = await sql<Extract<Entry, { kind: "callback" }> & { total: number }>`
    select 'callback' as kind, received_at as at, id, source, method, remote_address as "remoteAddress", found_by as "foundBy", verdict,
      octet_length(body) as bytes, count(*) over () as total
    from (${named}) as named order by received_at, id limit ${MOST_CALLBACKS}`.execute(db);
  const total = rows[0]?.total ?? 0;
  return { entries: rows.map(({ total: _, ...entry }) => entry), further: total - rows.length };
}

async function readInvoice(db: Kysely<Tables>, id: string): Promise<KnownInvoice | null> {
  const { rows } = await sql<KnownInvoice>`
    select source, status, type, collection_name as "collectionName", reference, total_amount as "totalAmount",
      paid_at as "paidAt", confirmed_at as "confirmedAt" from invoice where id = ${id}`.execute(db);
  return rows[0] ?? null;
}

interface QuestionRow extends QuestionState {
  openedAt: Date;
  openedBy: OpenedBy;
  settledAt: Date | null;
  releasedAt: Date | null;
}

async function readQuestions(
  db: Kysely<Tables>,
  id: string,
): Promise<{ state: QuestionState; entries: Entry[] }[]> {
  const { rows } = await sql<QuestionRow>`
    select question.source, question.state, verdict, lane, requests, attempt, question.faults, due_at as "dueAt",
      claimed_until as "claimedUntil", question.last_error as "lastError", opened_at as "openedAt", opened_by as "openedBy",
      settled_at as "settledAt", released_at as "releasedAt", source.paused_by as "sourcePausedBy",
      case when source.opens_at > clock_timestamp() then source.opens_at end as "sourceOpensAt", source.last_error as "sourceError"
    from confirmation as question left join source on source.name = question.source
    where invoice_id = ${id} order by opened_at, question.source`.execute(db);
  return rows.map(({ openedAt, openedBy, settledAt, releasedAt, ...state }) => {
    const { source, verdict } = state;
    const entries: Entry[] = [{ kind: "question", at: openedAt, source, openedBy }];
    if (settledAt !== null && (state.state === "done" || state.state === "dead"))
      entries.push({ kind: "verdict", at: settledAt, source, verdict, state: state.state });
    if (releasedAt !== null) entries.push({ kind: "released", at: releasedAt, source });
    return { state, entries };
  });
}

async function readAnswers(db: Kysely<Tables>, id: string): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    select 'answer' as kind, asked_at as at, source, status, recorded_at as "storedAt"
    from invoice_snapshot where invoice_id = ${id} order by asked_at`.execute(db);
  return rows;
}

async function readEvent(
  db: Kysely<Tables>,
  id: string,
): Promise<{ state: EventState; entry: Entry } | null> {
  const { rows } = await sql<EventState & { createdAt: Date }>`
    select id, type, state, attempt, due_at as "dueAt", last_error as "lastError", created_at as "createdAt"
    from event where invoice_id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { createdAt, ...state } = row;
  return { state, entry: { kind: "event", at: createdAt, id: state.id, type: state.type } };
}

async function readPublications(db: Kysely<Tables>, eventId: string): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    select 'publication' as kind, published_at as at, topic_arn as "topicArn", message_id as "messageId", replay_id as "replayId"
    from publication where event_id = ${eventId} order by id`.execute(db);
  return rows;
}

async function readAlarms(db: Kysely<Tables>, id: string): Promise<Entry[]> {
  const { rows } = await sql<{
    name: string;
    detail: string;
    times: number;
    raisedAt: Date;
    clearedAt: Date | null;
  }>`
    select name, detail, times, raised_at as "raisedAt", cleared_at as "clearedAt" from alarm where subject = ${id}`.execute(
    db,
  );
  return rows.flatMap(({ name, detail, times, raisedAt, clearedAt }): Entry[] => [
    { kind: "alarm", at: raisedAt, name, detail, times },
    ...(clearedAt === null ? [] : [{ kind: "alarm_cleared" as const, at: clearedAt, name }]),
  ]);
}

async function readShutTopics(db: Kysely<Tables>): Promise<ShutTopic[]> {
  const { rows } = await sql<ShutTopic>`
    select arn, paused_by as "pausedBy", case when opens_at > clock_timestamp() then opens_at end as "opensAt", last_error as "lastError"
    from topic where paused_by is not null or opens_at > clock_timestamp() order by arn`.execute(db);
  return rows;
}
