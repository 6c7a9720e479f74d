import { type QueryExecutorProvider, sql } from "kysely";
import { returned, Statement } from "./statement.ts";

const reading = new Statement({ now: returned.text() }, () => sql`select clock_timestamp()::text as now`);

/** Postgres' clock as it writes it, to the microsecond. */
export async function databaseClock(db: QueryExecutorProvider): Promise<string> {
  const [row] = await reading.execute(db);
  if (row === undefined) throw new Error("Postgres did not tell its time");
  return row.now;
}
