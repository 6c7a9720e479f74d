import { sql } from "kysely";
import { bytea, type Columns, integer, type Slots, Statement, text, uuid } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import type { EventKey } from "./event-log.ts";

/** An event that was published again, and accepted. */
interface Republished extends EventKey {
  messageId: string;
  /** SHA-256 of the message that was sent. */
  digest: Buffer;
}

const REPUBLISHED: Columns<Republished & { position: number }> = {
  position: integer(({ position }) => position),
  event_id: uuid(({ id }) => id),
  source: text(({ source }) => source),
  message_id: text(({ messageId }) => messageId),
  digest: bytea(({ digest }) => digest),
};

interface ReplayTarget {
  id: string;
  topicArn: string;
}

interface Acceptances {
  replay: ReplayTarget;
  accepted: readonly (Republished & { position: number })[];
}

const insertPublications = new Statement({}, ({ table, value }: Slots<Acceptances>) => {
  const replayId = sql`${value(({ replay }) => replay.id)}::uuid`;
  return sql`
    insert into publication (source, event_id, topic_arn, replay_id, message_id, digest)
    select source, event_id, ${value(({ replay }) => replay.topicArn)}, ${replayId}, message_id, digest
    from ${table("accepted", REPUBLISHED, ({ accepted }) => accepted)}
    where not exists (
      select from publication where replay_id = ${replayId} and publication.source = accepted.source
        and publication.event_id = accepted.event_id and publication.message_id = accepted.message_id)
    order by position`;
});

/**
 * Keeps the acceptances of one replay, whoever holds its lease now: they happened. Keeping them again, when
 * nobody knows whether the first write got through, adds no second row.
 * @returns how many are new.
 */
export async function keepReplayed(
  db: Database,
  replay: ReplayTarget,
  accepted: readonly Republished[],
): Promise<number> {
  if (accepted.length === 0) return 0;
  return await insertPublications.write(db, {
    replay,
    accepted: accepted.map((one, position) => ({ ...one, position })),
  });
}

/** The acceptances of a period whose event is not in the log: how many, and `limit` of them at most. */
export async function orphanedAcceptances(
  db: Database,
  source: string,
  { from, to }: { from: Date; to: Date },
  limit: number,
) {
  const rows = await db
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
    .limit(limit)
    .execute();
  return { orphans: rows.map(({ inAll, ...orphan }) => orphan), inAll: rows[0]?.inAll ?? 0 };
}
