import { type Kysely, sql } from "kysely";
import type { AlarmName } from "./alarms.ts";
import type { Tables } from "./tables.ts";

/** How many alarms are open, by name; none for a name that has none. */
export async function countOpenAlarms(db: Kysely<Tables>): Promise<{ name: AlarmName; count: number }[]> {
  const { rows } = await sql<{ name: AlarmName; count: number }>`
    select name, count(*) as count from alarm where cleared_at is null group by name`.execute(db);
  return rows;
}
