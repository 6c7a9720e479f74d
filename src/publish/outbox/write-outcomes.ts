import { type Kysely, type RawBuilder, sql } from "kysely";
import { ALARM, type Alarm, raising } from "../../alarms/alarms.ts";
import { hasRoom, noting } from "../../alarms/history.ts";
import { bytea, type Columns, float, text, uuid } from "../../database/columns.ts";
import { returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";

/** What is written for one event after one try. */
export interface EventOutcome {
  id: string;
  source: string;
  leaseToken: string;
  topicArn: string;
  state: "accepted" | "due" | "dead";
  /** The acceptance by SNS; null when there was none. */
  messageId: string | null;
  /** SHA-256 of the message that was sent; null unless it was accepted. */
  digest: Buffer | null;
  /** For `due`: when it is sent again, in ms from now. */
  dueInMs: number;
  error: string | null;
}

const OUTCOME: Columns<EventOutcome> = {
  event_id: uuid((outcome) => outcome.id),
  source: text((outcome) => outcome.source),
  lease_token: uuid((outcome) => outcome.leaseToken),
  topic_arn: text((outcome) => outcome.topicArn),
  state: text((outcome) => outcome.state),
  message_id: text((outcome) => outcome.messageId),
  digest: bytea((outcome) => outcome.digest),
  due_in_ms: float((outcome) => outcome.dueInMs),
  error: text((outcome) => outcome.error),
};

interface Outcomes {
  outcomes: readonly EventOutcome[];
  /** About the events that became dead letters. */
  alarms: readonly Alarm[];
}

/**
 * An acceptance is a fact: it is always kept, and the event leaves the outbox unless another worker holds it
 * now. Any other outcome is written only while the lease is held (G6). Only a claimed row has a lease token
 * (outbox_lease_check).
 */
const writing = ({ table }: Slots<Outcomes>, raised: RawBuilder<unknown>) => sql`
  with outcome as materialized (select * from ${table("outcome", OUTCOME, ({ outcomes }) => outcomes)}),
  sent as (
    delete from outbox using outcome
    where outcome.state = 'accepted' and outbox.source = outcome.source and outbox.event_id = outcome.event_id
      and (outbox.lease_token = outcome.lease_token or outbox.lease_token is null)),
  failed as (
    update outbox set state = outcome.state, attempt = outbox.attempt + 1, last_error = outcome.error,
      due_at = clock_timestamp() + outcome.due_in_ms * interval '1 ms',
      lease_token = null, claimed_until = null
    from outcome
    where outcome.state <> 'accepted' and outbox.lease_token = outcome.lease_token
      and outbox.source = outcome.source and outbox.event_id = outcome.event_id
    returning outbox.source, outbox.event_id, outcome.error),
  accepted as (
    insert into publication (source, event_id, topic_arn, message_id, digest)
    select source, event_id, topic_arn, message_id, digest from outcome where message_id is not null
    returning 1)${raised}
  select (select count(*) from accepted) as accepted`;

const RETURNS = { accepted: returned.count } as const;

const allAccepted = new Statement(RETURNS, (slots: Slots<Outcomes>) => writing(slots, sql``));

/** Failed sends, kept for the invoice's timeline. */
const failures = sql`
  select event.invoice_id, event.source, clock_timestamp(), 'send_failed',
    coalesce(failed.error, 'no reason was given')
  from failed join event on event.source = failed.source and event.id = failed.event_id
  where ${hasRoom(sql`event.invoice_id`, "send_failed")}`;

const withFailures = new Statement(RETURNS, (slots: Slots<Outcomes>) => {
  const alarm = slots.table("alarm", ALARM, ({ alarms }) => alarms);
  const died = sql`select alarm.* from ${alarm} join failed on failed.event_id::text = alarm.subject`;
  return writing(slots, sql`, noted as (${noting(failures)}), raised as (${raising(died)})`);
});

/**
 * Keeps what became of the entries of batches, and the alarms about dead letters (G13), in one transaction.
 */
export async function writeOutcomes(db: Kysely<Tables>, given: Outcomes): Promise<void> {
  const isGood = given.outcomes.every(({ state }) => state === "accepted");
  await (isGood ? allAccepted : withFailures).execute(db, given);
}
