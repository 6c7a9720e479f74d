import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";

/** An acceptance by SNS whose event is gone. */
export interface OrphanedAcceptance {
  eventId: string;
  topicArn: string;
  messageId: string;
  publishedAt: Date;
}

/** The acceptances of a period whose event is not in the log, at most so many. */
export async function orphanedAcceptances(
  db: Kysely<Tables>,
  source: string,
  { from, to }: { from: Date; to: Date },
  limit: number,
): Promise<OrphanedAcceptance[]> {
  const { rows } = await sql<OrphanedAcceptance>`
    select event_id as "eventId", topic_arn as "topicArn", message_id as "messageId", published_at as "publishedAt"
    from publication
    where source = ${source} and published_at >= ${from} and published_at < ${to}
      and not exists (select from event where event.source = publication.source and event.id = publication.event_id)
    order by event_id limit ${limit}`.execute(db);
  return rows;
}
