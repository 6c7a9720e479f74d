import { type Kysely, sql } from "kysely";
import type { AlarmName } from "./alarms.ts";
import type { Tables } from "./tables.ts";

/** How many alarms are open, by name; none for a name that has none. */
export async function countOpenAlarms(db: Kysely<Tables>): Promise<{ name: AlarmName; count: number }[]> {
  return await db
    .selectFrom("alarm")
    .select(({ fn }) => [sql<AlarmName>`name`.as("name"), fn.countAll<number>().as("count")])
    .where("cleared_at", "is", null)
    .groupBy("name")
    .execute();
}
