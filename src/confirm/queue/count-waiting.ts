import { type Kysely, sql } from "kysely";
import { returned, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";

const counting = new Statement(
  { dead: returned.count, quarantined: returned.count },
  () => sql`
    select
      (select count(*) from confirmation
        where state = 'dead' and not coalesce(dismissed_at >= settled_at, false)) as dead,
      (select count(*) from confirmation
        where verdict = 'quarantined' and released_at is null
          and not coalesce(dismissed_at >= settled_at, false)) as quarantined`,
);

/** What waits for a person: neither released nor dismissed since it was settled. */
export async function countUndeliveredConfirmations(
  db: Kysely<Tables>,
): Promise<{ dead: number; quarantined: number }> {
  const [row] = await counting.execute(db);
  return row ?? { dead: 0, quarantined: 0 };
}
