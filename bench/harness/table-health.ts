import type { BenchDatabase } from "./bench-database.ts";

/** What Postgres says about the relay's tables while work goes on. */
export interface TableHealth {
  connections: number;
  openConfirmations: number;
  unpublished: number;
  /** Dead tuples, by table. */
  dead: Record<string, number>;
  /** MiB with indexes, by table; the log's partitions together. */
  sizes: Record<string, number>;
}

const TABLES = `
  select case when relname like 'callback%' then 'callback' else relname end as name,
    sum(n_dead_tup)::int as dead, sum(pg_total_relation_size(relid))::float8 / 1048576 as mib
  from pg_stat_user_tables
  where relname like 'callback%'
    or relname in ('confirmation', 'invoice', 'invoice_snapshot', 'event', 'outbox', 'publication',
      'source', 'topic', 'alarm')
  group by 1 order by 1`;

const COUNTS = `
  select (select count(*) from pg_stat_activity where datname = current_database())::int as connections,
    (select count(*) from confirmation where state in ('due', 'claimed'))::int as confirmations,
    (select count(*) from outbox)::int as events`;

export async function readTableHealth(database: BenchDatabase): Promise<TableHealth> {
  const tables = await database.query<{ name: string; dead: number; mib: number }>(TABLES);
  const [counts] = await database.query<{ connections: number; confirmations: number; events: number }>(
    COUNTS,
  );
  return {
    connections: counts?.connections ?? 0,
    openConfirmations: counts?.confirmations ?? 0,
    unpublished: counts?.events ?? 0,
    dead: Object.fromEntries(tables.map(({ name, dead }) => [name, dead])),
    sizes: Object.fromEntries(tables.map(({ name, mib }) => [name, Number(mib.toFixed(1))])),
  };
}
