import { type Kysely, sql } from "kysely";
import type { AlarmName } from "../database/alarms.ts";
import type { Tables } from "../database/tables.ts";

/** Closes the open alarms about these subjects, because someone has seen to them. */
export async function closeAlarms(
  db: Kysely<Tables>,
  names: readonly AlarmName[],
  subjects: readonly string[],
): Promise<void> {
  await sql`
    update alarm set cleared_at = clock_timestamp()
    where cleared_at is null and name = any(${[...names]}::text[]) and subject = any(${[...subjects]}::text[])`.execute(
    db,
  );
}
