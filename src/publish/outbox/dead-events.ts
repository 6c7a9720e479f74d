import { type Kysely, type RawBuilder, sql } from "kysely";
import { type Columns, text, uuid } from "../../database/columns.ts";
import { type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";

export interface EventKey {
  id: string;
  source: string;
}

export const EVENT_KEY: Columns<EventKey> = {
  event_id: uuid(({ id }) => id),
  source: text(({ source }) => source),
};

const isGiven = sql<boolean>`outbox.source = given.source and outbox.event_id = given.event_id`;

const setting = (assignments: RawBuilder<unknown>) =>
  new Statement({}, ({ table }: Slots<readonly EventKey[]>) => {
    const given = table("given", EVENT_KEY, (events) => events);
    return sql`update outbox set ${assignments} from ${given} where ${isGiven} and state = 'dead'`;
  });

const revive = setting(sql`state = 'due', attempt = 0, due_at = clock_timestamp(), dismissed_at = null`);
const dismiss = setting(sql`dismissed_at = clock_timestamp()`);

/** Sends dead events again, from the first try. */
export async function reviveDeadEvents(db: Kysely<Tables>, events: readonly EventKey[]): Promise<void> {
  await revive.execute(db, events);
}

/** Takes dead events off the operators' lists. */
export async function dismissDeadEvents(db: Kysely<Tables>, events: readonly EventKey[]): Promise<void> {
  await dismiss.execute(db, events);
}
