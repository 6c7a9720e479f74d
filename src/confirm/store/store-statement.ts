import { type RawBuilder, sql } from "kysely";
import { ALARM, type Alarm, clearing, ENDED_ALARM, type EndedAlarm, raising } from "../../alarms/alarms.ts";
import { noting } from "../../alarms/history.ts";
import type { Columns } from "../../database/columns.ts";
import { isIn } from "../../database/is-in.ts";
import { nullable, returned, type Slots, Statement } from "../../database/statement.ts";
import type { OutboxState } from "../../publish/event.ts";
import { EVENT, insertEvents } from "../../publish/event-log.ts";
import { queueEvents } from "../../publish/outbox.ts";
import { joiningWellTopic } from "../../upstreams/upstream-kind.ts";
import { INVOICE, keepingSnapshots, storing } from "../invoices/store-invoice.ts";
import { holding, OUTCOME, passing, writingOutcomes } from "../queue/write-outcomes.ts";
import type { Outcome } from "./outcome.ts";

/** An outcome, and the topic that this process sends its event to; null leaves the event due. */
export type OutcomeToHandOver = Outcome & { handTo: string | null };

export interface OutcomeBatch {
  outcomes: readonly OutcomeToHandOver[];
  /** The lease of those events that are handed over. */
  leaseToken: string;
  leaseMs: number;
}

export interface AlarmingBatch extends OutcomeBatch {
  raises: readonly Alarm[];
  clears: readonly EndedAlarm[];
}

const ANSWER: Columns<OutcomeToHandOver> = { ...OUTCOME, ...INVOICE, ...EVENT };

/** For each outcome whose lease still held: what became of its event; null when it has none that is new. */
const RETURNS = {
  invoiceId: returned.uuid,
  source: returned.text(),
  leaseToken: returned.uuid,
  eventState: nullable(returned.text<OutboxState>()),
  callbackId: nullable(returned.uuid),
  requestedAt: returned.time,
} as const;

/** So that the verdict comes before the event in a timeline. */
const VERDICT_FIRST = sql<boolean>`(select count(*) from decided) > 0`;

/**
 * One statement, so one transaction: which answers' leases still hold is decided first, under lock and in
 * invoice order, and everything else is written for those only (G6).
 */
const written = ({ table, value }: Slots<OutcomeBatch>) => sql`
  with answer as materialized (select * from ${table("answer", ANSWER, ({ outcomes }) => outcomes)}),
  held as materialized (${holding}),
  decided as (${writingOutcomes}),
  noted as (${noting(passing)}),
  snapshots as (${keepingSnapshots}),
  stored as (${storing}),
  logged as (${insertEvents(VERDICT_FIRST)}),
  queued as (${queueEvents(
    joiningWellTopic,
    value(({ leaseToken }) => leaseToken),
    value(({ leaseMs }) => leaseMs),
  )})`;

const isQueued = (condition: RawBuilder<unknown>) =>
  isIn(sql`held.source, held.event_id`, sql`select source, event_id from queued where ${condition}`);

const told = sql`
  select held.invoice_id as "invoiceId", held.source, held.lease_token as "leaseToken",
    case
      when ${isQueued(sql`state = 'claimed'`)} then 'claimed'
      when ${isQueued(sql`state = 'due'`)} then 'due'
      when ${isQueued(sql`true`)} then 'held' end as "eventState",
    held.callback_id as "callbackId", held.requested_at as "requestedAt"
  from held`;

/** Writes outcomes that neither raise nor clear an alarm: nearly all. */
export const storeOutcomes = new Statement(
  RETURNS,
  (slots: Slots<OutcomeBatch>) => sql`${written(slots)} ${told}`,
);

const isHeld = (alarm: string) => sql`
  exists (select from held where held.source = ${sql.ref(alarm)}.source
    and held.invoice_id::text = ${sql.ref(alarm)}.subject)`;

/** Writes outcomes together with the alarms that tell of them (G13). */
export const storeOutcomesAndAlarm = new Statement(RETURNS, (slots: Slots<AlarmingBatch>) => {
  const raises = slots.table("raise", ALARM, (batch) => batch.raises);
  const clears = slots.table("ends", ENDED_ALARM, (batch) => batch.clears);
  return sql`${written(slots)},
    raised as (${raising(sql`select * from ${raises} where ${isHeld("raise")}`)}),
    cleared as (${clearing(sql`(name, source, subject) in (
      select name, source, subject from ${clears} where ${isHeld("ends")})`)})
    ${told}`;
});
