import { type Kysely, sql } from "kysely";
import { type Columns, float, text, uuid } from "../database/columns.ts";
import { GroupCommit } from "../database/group-commit.ts";
import { Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";

/** What is written for one event after one try. */
export interface EventSettlement {
  id: string;
  leaseToken: string;
  topicArn: string;
  state: "published" | "due" | "dead";
  /** The acceptance by SNS; null when there was none. */
  messageId: string | null;
  /** For `due`: when it is sent again, in ms from now. */
  dueInMs: number;
  error: string | null;
}

/**
 * Keeps the outcome of every entry (G5), many in one commit. The event changes only while the lease is held (G6);
 * an acceptance is kept even when it was lost meanwhile, because it happened.
 */
export class PublicationStore {
  readonly #commits: GroupCommit<EventSettlement>;

  constructor(db: Kysely<Tables>) {
    this.#commits = new GroupCommit({
      write: async (settlements) => {
        await SETTLE.execute(db, settlements);
      },
      maxBatch: 500,
      maxInFlight: 2,
      lingerMs: LINGER_MS,
      maxWaiting: Number.POSITIVE_INFINITY,
      // A second row for one acceptance would only be noise; an acceptance that is missing would be a lie.
      repeatable: true,
    });
  }

  settle(settlement: EventSettlement): Promise<void> {
    return this.#commits.add(settlement);
  }
}

/** The event is out already. */
const LINGER_MS = 20;

const COLUMNS: Columns<EventSettlement> = {
  event_id: uuid((settlement) => settlement.id),
  lease_token: uuid((settlement) => settlement.leaseToken),
  topic_arn: text((settlement) => settlement.topicArn),
  state: text((settlement) => settlement.state),
  message_id: text((settlement) => settlement.messageId),
  due_in_ms: float((settlement) => settlement.dueInMs),
  error: text((settlement) => settlement.error),
};

// Only a claimed event has a lease token (event_lease_check). Asking for the state as well would lead Postgres to the
// index of claimed events, where it meets all that were claimed since the last vacuum.
const SETTLE = new Statement<readonly EventSettlement[], unknown>(
  ({ table }) => sql`
    with outcome as materialized (select * from ${table("outcome", COLUMNS, (settlements) => settlements)}),
    settled as (
      update event set
        state = outcome.state,
        attempt = event.attempt + 1,
        due_at = case outcome.state when 'due' then clock_timestamp() + outcome.due_in_ms * interval '1 ms' else event.due_at end,
        published_at = case outcome.state when 'published' then clock_timestamp() end,
        last_error = outcome.error,
        lease_token = null, claimed_until = null
      from outcome
      where event.id = outcome.event_id and event.lease_token = outcome.lease_token
    )
    insert into publication (event_id, topic_arn, message_id)
    select event_id, topic_arn, message_id from outcome where message_id is not null`,
);
