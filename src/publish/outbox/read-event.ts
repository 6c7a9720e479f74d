import { type Kysely, sql } from "kysely";
import { returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import { EVENT_KEY, type EventKey } from "./dead-events.ts";
import { eventState } from "./event-state.ts";

/** One event as it stands, personal data included; null when there is none. */
export async function readEvent(db: Kysely<Tables>, { id, source }: EventKey) {
  const event = await db
    .selectFrom("event")
    .leftJoin("outbox", (join) =>
      join.onRef("outbox.source", "=", "event.source").onRef("outbox.event_id", "=", "event.id"),
    )
    .select(["event.type", "event.created_at as createdAt", "event.payload"])
    .select(["outbox.last_error as lastError", eventState.as("state")])
    .select(({ fn, ref, val }) => fn.coalesce(ref("outbox.attempt"), val(0)).as("attempts"))
    .where("event.source", "=", source)
    .where("event.id", "=", id)
    .executeTakeFirst();
  return event ?? null;
}

const naming = new Statement(
  { id: returned.uuid, source: returned.text(), invoiceId: returned.uuid },
  ({ table }: Slots<readonly EventKey[]>) => sql`
    select event.id, event.source, event.invoice_id as "invoiceId"
    from event join ${table("given", EVENT_KEY, (events) => events)}
      on event.source = given.source and event.id = given.event_id`,
);

/** The invoices of events, in no order. */
export async function invoicesOf(
  db: Kysely<Tables>,
  events: readonly EventKey[],
): Promise<(EventKey & { invoiceId: string })[]> {
  return await naming.execute(db, events);
}
