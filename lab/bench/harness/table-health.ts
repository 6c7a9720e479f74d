import type { BenchDatabase } from "./bench-database.ts";

/** What Postgres says about the relay's tables while work goes on. */
export interface TableHealth {
  connections: number;
  openConfirmations: number;
  unpublished: number;
  /** Dead tuples of all its tables. */
  dead: number;
}

const HEALTH = `
  select (select count(*) from pg_stat_activity where datname = current_database())::int as "connections",
    (select count(*) from confirmation where state in ('due', 'claimed'))::int as "openConfirmations",
    (select count(*) from outbox)::int as "unpublished",
    (select sum(n_dead_tup) from pg_stat_user_tables)::int as "dead"`;

export async function readTableHealth(database: BenchDatabase): Promise<TableHealth> {
  const [health] = await database.query<TableHealth>(HEALTH);
  if (health === undefined) throw new Error("Postgres says nothing of its tables");
  return health;
}
