import { type QueryExecutorProvider, sql } from "kysely";
import { returned, Statement } from "./statement.ts";

const reading = new Statement(
  { time: returned.time, text: returned.text() },
  () => sql`select now as time, now::text as text from clock_timestamp() as now`,
);

async function readClock(db: QueryExecutorProvider): Promise<{ time: Date; text: string }> {
  const [row] = await reading.execute(db);
  if (row === undefined) throw new Error("Postgres did not tell its time");
  return row;
}

/** What Postgres' clock says, to the millisecond: what its moments are compared with. */
export async function databaseTime(db: QueryExecutorProvider): Promise<Date> {
  return (await readClock(db)).time;
}

/** Postgres' clock as it writes it, to the microsecond. */
export async function databaseClock(db: QueryExecutorProvider): Promise<string> {
  return (await readClock(db)).text;
}
