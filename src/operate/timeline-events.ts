import { sql } from "kysely";
import { returned, sourcesIn, typed } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import { eventState, inPayload } from "../publish/event-log.ts";
import type { TimelineEntry, TimelineEvent } from "./timeline.ts";

const ACCEPTANCE_LIMIT = 200;

/** The events of an invoice, each with the answer that it was made from. */
export async function readEvents(
  db: Database,
  id: string,
): Promise<{ standing: TimelineEvent; entry: Extract<TimelineEntry, { kind: "event" }>; answer: Answer }[]> {
  const events = await db
    .selectFrom("event")
    .leftJoin("outbox", (join) =>
      join.onRef("outbox.source", "=", "event.source").onRef("outbox.event_id", "=", "event.id"),
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
    .where("event.invoice_id", "=", id)
    .where(sql<boolean>`event.source = any(${sourcesIn("event")})`)
    .orderBy("event.source")
    .execute();
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

/** What the event itself keeps of the answer that made it: the tables keep the newest time of an answer only. */
const answerOfEvent = sql`json_build_object('confirmedAt', ${inPayload("confirmedAt")}, 'status', coalesce(
  (select status from invoice where invoice.source = event.source and invoice.id = event.invoice_id
    and invoice.digest = event.answer_digest),
  (select status from invoice_snapshot as snapshot where snapshot.source = event.source
    and snapshot.invoice_id = event.invoice_id and snapshot.digest = event.answer_digest limit 1)))`;

export type Answer = Extract<TimelineEntry, { kind: "answer" }>;

/** Where the provider was asked again since, the answer that made the verdict and the event keeps its own time. */
export const withAnswersOfEvents = (
  answers: readonly Answer[],
  events: readonly { entry: { source: string; at: Date }; answer: Answer }[],
): Answer[] => [
  ...answers,
  ...events
    .filter(({ entry: { source, at } }) => !answers.some((one) => one.source === source && one.at <= at))
    .map(({ answer }) => answer),
];

export async function readPublications(db: Database, id: string): Promise<TimelineEntry[]> {
  const publications = await db
    .selectFrom("event")
    .innerJoin("publication", (join) =>
      join.onRef("publication.source", "=", "event.source").onRef("publication.event_id", "=", "event.id"),
    )
    .leftJoin("replay", "replay.id", "publication.replay_id")
    .select(["publication.source", "published_at as at", "topic_arn as topicArn"])
    .select(["message_id as messageId", "replay_id as replayId", "replay.requested_by as replayedBy"])
    .where("event.invoice_id", "=", id)
    .where(sql<boolean>`event.source = any(${sourcesIn("event")})`)
    .orderBy("publication.id")
    .limit(ACCEPTANCE_LIMIT)
    .execute();
  return publications.map((publication) => ({ kind: "publication", ...publication }));
}
