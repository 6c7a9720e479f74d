import type { Kysely } from "kysely";
import type { Tables } from "../../database/tables.ts";

/** Events that were given up and that nobody dismissed. */
export async function countDeadEvents(db: Kysely<Tables>): Promise<number> {
  const { dead } = await db
    .selectFrom("outbox")
    .select(({ fn }) => fn.countAll<number>().as("dead"))
    .where("state", "=", "dead")
    .where("dismissed_at", "is", null)
    .executeTakeFirstOrThrow();
  return dead;
}
