import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";

/** An acceptance by SNS whose event is gone. */
export interface OrphanedAcceptance {
  eventId: string;
  topicArn: string;
  messageId: string;
  publishedAt: Date;
}

/** The acceptances of a period whose event is not in the log; at most `limit`. */
export async function orphanedAcceptances(
  db: Kysely<Tables>,
  source: string,
  { from, to }: { from: Date; to: Date },
  limit: number,
): Promise<OrphanedAcceptance[]> {
  return await db
    .selectFrom("publication")
    .select(["event_id as eventId", "topic_arn as topicArn", "message_id as messageId"])
    .select("published_at as publishedAt")
    .where("source", "=", source)
    .where("published_at", ">=", from)
    .where("published_at", "<", to)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("event")
            .whereRef("event.source", "=", "publication.source")
            .whereRef("event.id", "=", "publication.event_id"),
        ),
      ),
    )
    .orderBy("event_id")
    .limit(limit)
    .execute();
}
