import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";

/** What waits for a person: neither released nor dismissed since it was settled. */
export async function countUndeliveredConfirmations(
  db: Kysely<Tables>,
): Promise<{ dead: number; quarantined: number }> {
  const { rows } = await sql<{ dead: number; quarantined: number }>`
    select
      (select count(*) from confirmation
        where state = 'dead' and not coalesce(dismissed_at >= settled_at, false)) as dead,
      (select count(*) from confirmation
        where verdict = 'quarantined' and released_at is null
          and not coalesce(dismissed_at >= settled_at, false)) as quarantined`.execute(db);
  return rows[0] ?? { dead: 0, quarantined: 0 };
}
