import { type Kysely, sql } from "kysely";
import { type Columns, tableOf, text, uuid } from "../database/columns.ts";
import type { Tables } from "../database/tables.ts";

/** Which event. */
export interface EventKey {
  id: string;
  source: string;
}

export const EVENT_KEY: Columns<EventKey> = {
  event_id: uuid(({ id }) => id),
  source: text(({ source }) => source),
};

const isGiven = sql<boolean>`outbox.source = given.source and outbox.event_id = given.event_id`;

/** Dead events are sent again, from the first try. */
export async function reviveDeadEvents(db: Kysely<Tables>, events: readonly EventKey[]): Promise<void> {
  await sql`
    update outbox set state = 'due', attempt = 0, due_at = clock_timestamp(), dismissed_at = null
    from ${tableOf("given", EVENT_KEY, events)} where ${isGiven} and state = 'dead'`.execute(db);
}

/** An operator wants to see these dead events no more. */
export async function dismissDeadEvents(db: Kysely<Tables>, events: readonly EventKey[]): Promise<void> {
  await sql`
    update outbox set dismissed_at = clock_timestamp()
    from ${tableOf("given", EVENT_KEY, events)} where ${isGiven} and state = 'dead'`.execute(db);
}
