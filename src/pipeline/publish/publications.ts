import { type Database, query } from "../../platform/database/index.ts";

const selectOrphans = query((db, source: string, { from, to }: { from: Date; to: Date }, limit: number) =>
  db
    .selectFrom("publication")
    .select(["event_id as eventId", "topic_arn as topicArn", "message_id as messageId"])
    .select(({ fn }) => fn.countAll<number>().over().as("inAll"))
    .where("source", "=", source)
    .where("published_at", ">=", from)
    .where("published_at", "<", to)
    // Not `exists`: by a plan from a time when there were few events, Postgres might read them all.
    .where((eb) =>
      eb(
        eb
          .selectFrom("event")
          .select("event.id")
          .whereRef("event.source", "=", "publication.source")
          .whereRef("event.id", "=", "publication.event_id"),
        "is",
        null,
      ),
    )
    .orderBy("event_id")
    .limit(limit),
);

/** The acceptances of a period whose event is not in the log: how many, and `limit` of them at most. */
export async function orphanedAcceptances(
  db: Database,
  source: string,
  period: { from: Date; to: Date },
  limit: number,
) {
  const rows = await selectOrphans(db, source, period, limit).execute();
  return { orphans: rows.map(({ inAll, ...orphan }) => orphan), inAll: rows[0]?.inAll ?? 0 };
}
