import { type Kysely, type RawBuilder, sql } from "kysely";
import { nullable, perhaps, type RowOf, returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import { newId } from "../../kit/new-id.ts";
import { leaseEnd } from "../../work/leased-rows.ts";
import type { Route } from "./event.ts";

interface Claiming {
  route: Route;
  /** The most events. */
  wanted: number;
  leaseMs: number;
}

const EVENT = {
  id: returned.uuid,
  leaseToken: returned.uuid,
  invoiceId: returned.uuid,
  source: returned.text(),
  type: returned.text(),
  invoiceType: returned.text(),
  collectionName: nullable(returned.text()),
  payload: returned.text(),
  /** How often it was tried. */
  attempt: returned.integer,
  /** The callback that led to it; null where none did, or nobody knows. */
  callbackId: nullable(returned.uuid),
  /** When its invoice was last asked for; null where nobody knows. */
  requestedAt: nullable(returned.time),
  /** Of the confirmation that it came from; null where that was not traced. */
  traceparent: nullable(returned.text()),
};

/** An event that this worker holds the lease of. */
export type ClaimedEvent = RowOf<typeof EVENT>;

const RETURNS = { open: returned.boolean, ...perhaps(EVENT) };

/** What a claim depends on besides the events. */
interface Conditions<Given> {
  /** Yields a row while the topic takes events, with a column `wanted`: how many. */
  admitting(slots: Slots<Given>): RawBuilder<unknown>;
  /** What is written in the same statement, from the rows of `claimed`. */
  thereupon?(slots: Slots<Given>): RawBuilder<unknown>;
}

/**
 * Claims due events of one route in one statement. It finds the taken rows again by their ctid: a join would
 * be planned as if a tenth of all that wait were taken. It asks for an event's id as a range, in order: with
 * a plain equality an empty table's other unique index, which also begins with the source, costs the same as
 * the primary key and may be chosen for good; only the primary key has this order.
 */
export class EventClaim<Given extends Claiming> {
  readonly #statement: Statement<Given, typeof RETURNS>;

  constructor(conditions: Conditions<Given>) {
    this.#statement = new Statement(RETURNS, (slots: Slots<Given>) => claiming(slots, conditions));
  }

  /** @returns `open`: whether the topic takes anything at all. */
  async from(db: Kysely<Tables>, given: Given): Promise<{ open: boolean; items: ClaimedEvent[] }> {
    const rows = await this.#statement.execute(db, given);
    return { open: rows[0]?.open === true, items: rows.filter(isClaimed) };
  }
}

// An outbox row whose event is gone has nothing to send; certificates report it.
const isClaimed = (row: RowOf<typeof RETURNS>): row is ClaimedEvent & { open: boolean } =>
  row.id !== null && row.payload !== null;

const claiming = <Given extends Claiming>(slots: Slots<Given>, conditions: Conditions<Given>) => {
  const { value } = slots;
  const thereupon = conditions.thereupon?.(slots);
  return sql`
    with admitted as materialized (${conditions.admitting(slots)}),
    taken as (
      select ctid from outbox
      where source = ${value(({ route }) => route.source)}
        and invoice_type = ${value(({ route }) => route.invoiceType)}
        and state = 'due' and due_at <= now() and exists (select from admitted)
      order by due_at limit (select wanted from admitted) for update skip locked),
    claimed as (
      update outbox set state = 'claimed', lease_token = ${value(() => newId())},
        claimed_until = ${leaseEnd(value(({ leaseMs }) => leaseMs))}
      where ctid = any (array(select ctid from taken))
      returning outbox.*)${thereupon === undefined ? sql`` : sql`, thereupon as (${thereupon})`}
    select exists (select from admitted) as open, event.id, lease_token as "leaseToken",
      event.invoice_id as "invoiceId", event.source, event.type, event.invoice_type as "invoiceType",
      event.collection_name as "collectionName", event.payload, claimed.attempt,
      claimed.callback_id as "callbackId", claimed.requested_at as "requestedAt", claimed.traceparent
    from (select) as always
    left join (claimed cross join lateral (select * from event
      where event.source = claimed.source and event.id between claimed.event_id and claimed.event_id
      order by event.id limit 1) as event) on true`;
};
