import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";

/** Events that were given up and that nobody dismissed. */
export async function countDeadEvents(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ dead: number }>`
    select count(*) as dead from outbox where state = 'dead' and dismissed_at is null`.execute(db);
  return rows[0]?.dead ?? 0;
}
