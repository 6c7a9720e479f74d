import { type RawBuilder, sql } from "kysely";

/**
 * An array of the sources that a table has rows of, found by one index step for each. With it a query that
 * knows an invoice's id, but not its source, can use an index that begins with the source.
 */
export const sourcesIn = (
  table: "invoice" | "invoice_snapshot" | "event" | "publication",
): RawBuilder<string[]> => {
  const from = sql.table(table);
  return sql`array(
    with recursive known (source) as (
      (select source from ${from} order by source limit 1)
      union all
      select (select further.source from ${from} as further where further.source > known.source
        order by further.source limit 1)
      from known where known.source is not null)
    select source from known where source is not null)`;
};
