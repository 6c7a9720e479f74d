import type { Kysely } from "kysely";
import type { Tables } from "../../database/tables.ts";

/** When the newest callback in the log was received; null when it is empty. */
export async function lastCallbackAt(db: Kysely<Tables>): Promise<Date | null> {
  const row = await db
    .selectFrom("callback")
    .select("received_at as at")
    .orderBy("received_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.at ?? null;
}
