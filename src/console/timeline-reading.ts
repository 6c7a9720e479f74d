import { type Kysely, sql } from "kysely";
import type { OpenedBy, Verdict } from "../confirmations/confirmation.ts";
import { readHistory } from "../database/history.ts";
import type { Tables } from "../database/tables.ts";
import { eventState, joiningOutbox } from "../outbox/event-state.ts";
import type {
  ClosedTopic,
  ConfirmationStanding,
  Entry,
  EventStanding,
  KnownInvoice,
  Timeline,
} from "./timeline.ts";

/** So many callbacks are shown: enough to see a pattern, however many came. */
const MOST_CALLBACKS = 200;

/** The most failures, pauses and earlier verdicts that are shown. */
const MOST_PAST = 200;

/** What happens first when two things carry the same time. */
const ORDER: Record<Entry["kind"], number> = {
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

/**
 * Everything that happened to one invoice, read from the tables.
 * @param invoiceId in lower case
 * @returns null when neither a callback nor anything else names it.
 */
export async function readTimeline(db: Kysely<Tables>, invoiceId: string): Promise<Timeline | null> {
  const callbacks = await readCallbacks(db, invoiceId);
  const [invoices, confirmations, answers, events, publications, others, closedTopics, past] =
    await Promise.all([
      readInvoices(db, invoiceId),
      readConfirmations(db, invoiceId),
      readAnswers(db, invoiceId),
      readEvents(db, invoiceId),
      readPublications(db, invoiceId),
      readActionsAndAlarms(db, invoiceId),
      readClosedTopics(db),
      readPast(db, invoiceId),
    ]);
  if (callbacks.entries.length + confirmations.length + invoices.length + events.length === 0) return null;
  const entries: Entry[] = [
    ...callbacks.entries,
    ...confirmations.flatMap((one) => one.entries),
    ...invoices.flatMap(({ paidAt: at, source }): Entry[] =>
      at === null ? [] : [{ kind: "paid", at, source }],
    ),
    ...answers,
    ...events.map(({ entry }) => entry),
    ...publications,
    ...others,
    ...past,
  ];
  const upstreamActions = await readUpstreamActions(db, confirmations, publications, events);
  entries.push(...upstreamActions);
  return {
    invoiceId,
    invoices,
    confirmations: confirmations.map(({ standing }) => standing),
    events: events.map(({ standing }) => standing),
    entries: entries.sort((one, other) => +one.at - +other.at || ORDER[one.kind] - ORDER[other.kind]),
    furtherCallbacks: callbacks.further,
    closedTopics,
  };
}

async function readCallbacks(db: Kysely<Tables>, id: string): Promise<{ entries: Entry[]; further: number }> {
  // Two branches, because each has an index of its own.
  const named = sql`
    select * from callback where invoice_ids[1] = ${id}
    union all
    select * from callback where cardinality(invoice_ids) > 1 and invoice_ids @> array[${id}]::uuid[]
      and invoice_ids[1] <> ${id}`;
  const { rows } = await sql<Extract<Entry, { kind: "callback" }> & { total: number }>`
    select 'callback' as kind, received_at as at, id, source, method, remote_address as "remoteAddress",
      found_by as "foundBy", verdict, case when erased_at is null then octet_length(body) end as bytes,
      count(*) over () as total
    from (${named}) as named order by received_at, id limit ${MOST_CALLBACKS}`.execute(db);
  const total = rows[0]?.total ?? 0;
  return { entries: rows.map(({ total: _, ...entry }) => entry), further: total - rows.length };
}

function readInvoices(db: Kysely<Tables>, id: string): Promise<KnownInvoice[]> {
  return db
    .selectFrom("invoice")
    .select(["source", "status", "type", "reference", "collection_name as collectionName"])
    .select(["total_amount as totalAmount", "paid_at as paidAt", "confirmed_at as confirmedAt"])
    .select("erased_at as erasedAt")
    .where("id", "=", id)
    .orderBy("source")
    .execute();
}

interface ConfirmationRow extends ConfirmationStanding {
  openedAt: Date;
  openedBy: OpenedBy;
  settledAt: Date | null;
}

async function readConfirmations(
  db: Kysely<Tables>,
  id: string,
): Promise<{ standing: ConfirmationStanding; entries: Entry[] }[]> {
  const { rows } = await sql<ConfirmationRow>`
    select confirmation.source, confirmation.state, verdict, priority, requests, attempt, confirmation.faults,
      due_at as "dueAt", claimed_until as "claimedUntil", confirmation.last_error as "lastError",
      opened_at as "openedAt", opened_by as "openedBy", settled_at as "settledAt",
      source.paused_by as "sourcePausedBy", source.last_error as "sourceError",
      nullif(greatest(source.opens_at, now()), now()) as "sourceOpensAt"
    from confirmation left join source on source.name = confirmation.source
    where invoice_id = ${id} order by opened_at, confirmation.source`.execute(db);
  return rows.map(({ openedAt, openedBy, settledAt, ...standing }) => {
    const { source, verdict, state } = standing;
    const entries: Entry[] = [{ kind: "confirmation", at: openedAt, source, openedBy }];
    if (settledAt !== null && (state === "done" || state === "dead"))
      entries.push({ kind: "verdict", at: settledAt, source, verdict, state });
    return { standing, entries };
  });
}

async function readAnswers(db: Kysely<Tables>, id: string): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    select 'answer' as kind, asked_at as at, source, status, recorded_at as "storedAt"
    from invoice_snapshot where invoice_id = ${id}
    union all
    select 'answer', asked_at, source, status, confirmed_at from invoice where id = ${id}
    order by 2`.execute(db);
  return rows;
}

async function readEvents(
  db: Kysely<Tables>,
  id: string,
): Promise<{ standing: EventStanding; entry: Entry }[]> {
  const { rows } = await sql<EventStanding & { createdAt: Date }>`
    select event.source, event.id, event.type, ${eventState} as state, coalesce(outbox.attempt, 0) as attempt,
      outbox.due_at as "dueAt", outbox.last_error as "lastError", event.created_at as "createdAt"
    from event ${joiningOutbox} where event.invoice_id = ${id} order by event.source`.execute(db);
  return rows.map(({ createdAt, ...standing }) => {
    const { source, id: eventId, type } = standing;
    return { standing, entry: { kind: "event", at: createdAt, source, id: eventId, type } };
  });
}

async function readPublications(db: Kysely<Tables>, id: string): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    select 'publication' as kind, published_at as at, publication.source, topic_arn as "topicArn",
      message_id as "messageId", replay_id as "replayId", replay.requested_by as "replayedBy"
    from event join publication on publication.source = event.source and publication.event_id = event.id
    left join replay on replay.id = publication.replay_id
    where event.invoice_id = ${id} order by publication.id`.execute(db);
  return rows;
}

async function readActionsAndAlarms(db: Kysely<Tables>, id: string): Promise<Entry[]> {
  const actions = await db
    .selectFrom("audit_entry")
    .select(["at", "actor", "action", "subject"])
    .select(sql<string | null>`detail->>'reason'`.as("reason"))
    .where("invoice_id", "=", id)
    .orderBy("id")
    .execute();
  const alarms = await db
    .selectFrom("alarm")
    .select(["name", "source", "detail", "times", "raised_at as raisedAt", "cleared_at as clearedAt"])
    .where("subject", "=", id)
    .execute();
  return [
    ...actions.map((action): Entry => ({ kind: "action", ...action })),
    ...alarms.flatMap(({ name, source, detail, times, raisedAt, clearedAt }): Entry[] => [
      { kind: "alarm", at: raisedAt, source, name, detail, times },
      ...(clearedAt === null ? [] : [{ kind: "alarm_cleared" as const, at: clearedAt, source, name }]),
    ]),
  ];
}

/** Failures, and verdicts that later ones took the place of. */
async function readPast(db: Kysely<Tables>, id: string): Promise<Entry[]> {
  const entries = await readHistory(db, id, MOST_PAST);
  return entries.map(
    ({ at, source, kind, detail }): Entry =>
      kind === "verdict"
        ? { kind, at, source, verdict: detail as Verdict, state: detail === "pending" ? "dead" : "done" }
        : { kind, at, source, error: detail },
  );
}

/** Who paused its source or topics while it was under way, and who resumed them. */
async function readUpstreamActions(
  db: Kysely<Tables>,
  confirmations: readonly { standing: ConfirmationStanding; entries: Entry[] }[],
  publications: readonly Entry[],
  events: readonly { standing: EventStanding }[],
): Promise<Entry[]> {
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
  // An event that waits may go to any topic that is paused.
  const concerns = sql`
    action in ('pause.confirm', 'resume.confirm', 'pause.publish', 'resume.publish')
    and (subject = any(${subjects}::text[]) or (${isOpen}::boolean and action like '%.publish'))`;
  // A pause from before counts as well, unless it was over.
  const { rows } = await sql<Entry>`
    select 'action' as kind, at, actor, action, subject, detail->>'reason' as reason from (
      select * from audit_entry where ${concerns} and at >= ${from}::timestamptz
        and at <= coalesce(${to}::timestamptz, 'infinity')
      union all
      select * from (
        select distinct on (subject) * from audit_entry where ${concerns} and at < ${from}::timestamptz
        order by subject, id desc) as last_before
      where action like 'pause.%') as concerning
    order by id limit ${MOST_PAST}`.execute(db);
  return rows;
}

async function readClosedTopics(db: Kysely<Tables>): Promise<ClosedTopic[]> {
  const { rows } = await sql<ClosedTopic>`
    select arn, paused_by as "pausedBy", last_error as "lastError",
      nullif(greatest(opens_at, now()), now()) as "opensAt"
    from topic where paused_by is not null or opens_at > now() order by arn`.execute(db);
  return rows;
}
