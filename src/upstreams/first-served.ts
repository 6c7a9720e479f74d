import { type Kysely, type RawBuilder, sql } from "kysely";
import { nullable, returned, type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { sourceIsOpen } from "./upstream-kind.ts";

/** When the source of that name was first served; null before that. A scalar expression. */
export const firstServedAt = (name: RawBuilder<unknown>): RawBuilder<Date | null> =>
  sql`(select source.first_served_at from source where source.name = ${name})`;

/** A condition: the source of that name was served, and may be asked now. */
export const isServedAndOpen = (name: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  exists (select from source where source.name = ${name} and source.first_served_at is not null
    and ${sourceIsOpen})`;

const reading = new Statement(
  { now: returned.time, servedAt: nullable(returned.time) },
  ({ value }: Slots<string>) =>
    sql`select clock_timestamp() as now, ${firstServedAt(value((source) => source))} as "servedAt"`,
);

/** Postgres' time, and when the source was first served. */
export async function readClock(
  db: Kysely<Tables>,
  source: string,
): Promise<{ now: Date; servedAt: Date | null }> {
  const [row] = await reading.execute(db, source);
  if (row === undefined) throw new Error("Postgres did not tell its time");
  return row;
}

/** Every source that is known, and when it was first served; null before that. */
export async function listFirstServed(db: Kysely<Tables>): Promise<{ source: string; at: Date | null }[]> {
  return await db
    .selectFrom("source")
    .select(["name as source", "first_served_at as at"])
    .orderBy("name")
    .execute();
}
