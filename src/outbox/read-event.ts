import { type Kysely, sql } from "kysely";
import { tableOf } from "../database/columns.ts";
import type { Tables } from "../database/tables.ts";
import { EVENT_KEY, type EventKey } from "./dead-events.ts";
import { type EventState, eventState, joiningOutbox } from "./event-state.ts";

/** One event as it stands: personal data included. */
export interface EventAsItStands {
  state: EventState;
  type: string;
  createdAt: Date;
  attempts: number;
  lastError: string | null;
  payload: string;
}

export async function readEvent(
  db: Kysely<Tables>,
  { id, source }: EventKey,
): Promise<EventAsItStands | null> {
  const { rows } = await sql<EventAsItStands>`
    select ${eventState} as state, event.type, event.created_at as "createdAt",
      coalesce(outbox.attempt, 0) as attempts, outbox.last_error as "lastError", event.payload
    from event ${joiningOutbox} where event.source = ${source} and event.id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/** The invoices of events, in no order. */
export async function invoicesOf(
  db: Kysely<Tables>,
  events: readonly EventKey[],
): Promise<(EventKey & { invoiceId: string })[]> {
  const { rows } = await sql<EventKey & { invoiceId: string }>`
    select event.id, event.source, event.invoice_id as "invoiceId"
    from event join ${tableOf("given", EVENT_KEY, events)}
      on event.source = given.source and event.id = given.event_id`.execute(db);
  return rows;
}
