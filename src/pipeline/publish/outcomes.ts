import { setTimeout as delay } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import { ALARM, type Alarm, type Alarms, raiseAlarms } from "../../platform/alarms/index.ts";
import { hasRoom, insertHistory } from "../../platform/audit/index.ts";
import {
  bytea,
  type Columns,
  type Database,
  float,
  GroupCommit,
  isLookedUp,
  type Slots,
  Statement,
  text,
  uuid,
} from "../../platform/database/index.ts";
import { isRefusedData } from "../../platform/errors/index.ts";
import { backOffMs, failpoint } from "../../platform/process/index.ts";
import { NIL_UUID } from "../../platform/values/index.ts";
import { isLive } from "./event-log.ts";

/** The outcome of one try at one event, to be written. */
export interface EventOutcome {
  id: string;
  source: string;
  /** The replay that sent it; null for the event's own row. */
  replayId: string | null;
  leaseToken: string;
  topicArn: string;
  /** `held` only for a replay, whose topic refuses. */
  state: "accepted" | "due" | "dead" | "held";
  /** The acceptance by SNS; null without one. */
  messageId: string | null;
  /** SHA-256 of the message that was sent; null unless it was accepted. */
  digest: Buffer | null;
  /** For `due`: when it is sent again, in ms from now. */
  dueInMs: number;
  error: string | null;
}

/** How long an outcome waits for others, in ms: its event is out already, so the wait delays no event. */
const LINGER_MS = 20;

const BACK_OFF = { firstMs: 100, capMs: 5_000 };

/** Keeps the outcome of every event, many in one commit. */
export class OutcomeLog {
  readonly #commits: GroupCommit<{ outcome: EventOutcome; alarms: readonly Alarm[] }>;

  constructor({ db, alarms }: { db: Database; alarms: Alarms }) {
    this.#commits = new GroupCommit({
      async write(kept) {
        const raised = kept.flatMap((one) => one.alarms);
        failpoint("acceptances to be kept");
        await writeOutcomes(db, { outcomes: kept.map(({ outcome }) => outcome), alarms: raised });
        failpoint("acceptances kept");
        alarms.notify(raised);
      },
      maxBatch: 500,
      maxInFlight: 2,
      lingerMs: LINGER_MS,
      maxWaiting: Number.POSITIVE_INFINITY,
      // A second row for one acceptance is harmless; a missing one would be wrong.
    });
  }

  /**
   * Resolves once it is written. For an acceptance this is tried as long as Postgres is away: it happened,
   * and forgetting it would send the event a second time.
   * @throws what the write failed with, for anything else: the lease runs out, and it is tried again.
   */
  async keep(outcome: EventOutcome, alarms: readonly Alarm[]): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.#commits.add({ outcome, alarms });
      } catch (error) {
        if (outcome.state !== "accepted" || isRefusedData(error)) throw error;
        await delay(backOffMs(failures, BACK_OFF), undefined, { ref: false });
      }
    }
  }
}

interface Outcomes {
  outcomes: readonly EventOutcome[];
  /** About the events that became dead letters. */
  alarms: readonly Alarm[];
}

/**
 * Keeps what became of the entries of batches, and the alarms about dead letters (G13), in one transaction.
 */
export async function writeOutcomes(db: Database, given: Outcomes): Promise<void> {
  const allAccepted = given.outcomes.every(({ state }) => state === "accepted");
  await (allAccepted ? writeAcceptances : writeWithFailures).execute(db, given);
}

const OUTCOME: Columns<EventOutcome> = {
  event_id: uuid((outcome) => outcome.id),
  source: text((outcome) => outcome.source),
  replay_id: uuid((outcome) => outcome.replayId ?? NIL_UUID),
  lease_token: uuid((outcome) => outcome.leaseToken),
  topic_arn: text((outcome) => outcome.topicArn),
  state: text((outcome) => outcome.state),
  message_id: text((outcome) => outcome.messageId),
  digest: bytea((outcome) => outcome.digest),
  due_in_ms: float((outcome) => outcome.dueInMs),
  error: text((outcome) => outcome.error),
};

const isOfOutcome = sql.join(
  ["source", "event_id", "replay_id"].map((name) => isLookedUp(`outbox.${name}`, `outcome.${name}`)),
  sql` and `,
);

/**
 * An acceptance is a fact: it is always kept, and the event leaves the outbox unless another worker holds it
 * now. Any other outcome is written only while the lease is held (G6). Only a claimed row has a lease token
 * (outbox_lease_check).
 * @param alsoWritten further parts of the statement, from the rows of `failed`.
 */
const writeParts = ({ table }: Slots<Outcomes>, alsoWritten: RawBuilder<unknown>) => sql`
  with outcome as materialized (select * from ${table("outcome", OUTCOME, ({ outcomes }) => outcomes)}),
  sent as (
    delete from outbox using outcome
    where outcome.state = 'accepted' and ${isOfOutcome}
      and (outbox.lease_token = outcome.lease_token or outbox.lease_token is null)),
  failed as (
    update outbox set state = outcome.state, attempt = outbox.attempt + 1, last_error = outcome.error,
      due_at = clock_timestamp() + outcome.due_in_ms * interval '1 ms',
      lease_token = null, claimed_until = null
    from outcome
    where outcome.state <> 'accepted' and outbox.lease_token = outcome.lease_token and ${isOfOutcome}
    returning outbox.source, outbox.event_id, outcome.error, ${isLive} as live)${alsoWritten}
  insert into publication (source, event_id, replay_id, topic_arn, message_id, digest)
  select source, event_id, nullif(replay_id, ${sql.lit(NIL_UUID)}), topic_arn, message_id, digest
  from outcome where message_id is not null`;

const writeAcceptances = new Statement({}, (slots: Slots<Outcomes>) => writeParts(slots, sql``));

/** Failed sends, kept for the invoice's timeline; a replay reports its own. */
const failures = sql`
  select event.invoice_id, event.source, clock_timestamp(), 'send_failed',
    coalesce(failed.error, 'no reason was given')
  from failed join event on event.source = failed.source and event.id = failed.event_id
  where failed.live and ${hasRoom(sql`event.invoice_id`, "send_failed")}`;

const writeWithFailures = new Statement({}, (slots: Slots<Outcomes>) => {
  const alarm = slots.table("alarm", ALARM, ({ alarms }) => alarms);
  const died = sql`
    select alarm.* from ${alarm} join failed on failed.event_id::text = alarm.subject and failed.live`;
  return writeParts(slots, sql`, noted as (${insertHistory(failures)}), raised as (${raiseAlarms(died)})`);
});
