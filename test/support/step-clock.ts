interface Asks {
  query<Row extends Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
}

/** What Postgres' own clock does not stamp: the relay that took a callback says when. */
const FOREIGN = ["callback", "callback_default", "callback_reading"];

/**
 * Leaves the rows as a step of Postgres' clock does: every moment in them lies `by` further ahead after a
 * step back, and further back (a negative `by`) after one forward.
 * @param by an interval of Postgres
 */
export async function stepClockBack({ query }: Asks, by: string): Promise<void> {
  const tables = await query<{ name: string; moves: string }>(
    `select c.table_name as name,
       string_agg(format('%1$I = %1$I + %2$L::interval', c.column_name, $1::text), ', ') as moves
     from information_schema.columns as c join information_schema.tables as t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
       and c.data_type = 'timestamp with time zone' and c.table_name <> all($2)
       and c.table_name !~ '^(callback_\\d|kysely)' group by 1 order by 1`,
    [by, FOREIGN],
  );
  const moves = tables.map(({ name, moves }) => `update ${name} set ${moves};`).join(" ");
  // Logs that take no update are moved all the same.
  await query(`do $$ begin perform set_config('session_replication_role', 'replica', true); ${moves} end $$`);
}
