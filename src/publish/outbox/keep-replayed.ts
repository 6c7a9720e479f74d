import { type Kysely, sql } from "kysely";
import { bytea, type Columns, integer, text, uuid } from "../../database/columns.ts";
import { type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import type { EventKey } from "./dead-events.ts";

/** An event that was published again, and accepted. */
export interface Republished extends EventKey {
  messageId: string;
  /** SHA-256 of the message that was sent. */
  digest: Buffer;
}

const REPUBLISHED: Columns<Republished & { place: number }> = {
  place: integer(({ place }) => place),
  event_id: uuid(({ id }) => id),
  source: text(({ source }) => source),
  message_id: text(({ messageId }) => messageId),
  digest: bytea(({ digest }) => digest),
};

interface Given {
  replay: { id: string; topicArn: string };
  accepted: readonly (Republished & { place: number })[];
}

const keeping = new Statement({}, ({ table, value }: Slots<Given>) => {
  const replayId = sql`${value(({ replay }) => replay.id)}::uuid`;
  return sql`
    insert into publication (source, event_id, topic_arn, replay_id, message_id, digest)
    select source, event_id, ${value(({ replay }) => replay.topicArn)}, ${replayId}, message_id, digest
    from ${table("accepted", REPUBLISHED, ({ accepted }) => accepted)}
    where not exists (
      select from publication where replay_id = ${replayId} and publication.source = accepted.source
        and publication.event_id = accepted.event_id and publication.message_id = accepted.message_id)
    order by place`;
});

/**
 * Keeps the acceptances of one replay, whoever holds its lease now: they happened. Keeping them again, when
 * nobody knows whether the first write got through, adds no second row.
 * @returns how many are new.
 */
export async function keepReplayed(
  db: Kysely<Tables>,
  replay: { id: string; topicArn: string },
  accepted: readonly Republished[],
): Promise<number> {
  if (accepted.length === 0) return 0;
  return await keeping.write(db, { replay, accepted: accepted.map((one, place) => ({ ...one, place })) });
}
