import { type QueryExecutorProvider, sql } from "kysely";
import { returned, type Slots, Statement } from "./statement.ts";

const looking = new Statement(
  { there: returned.boolean },
  ({ value }: Slots<string>) => sql`select to_regclass(${value((name) => name)}) is not null as there`,
);

/** @param name with its schema, or without if it is on the search path. */
export async function hasTable(db: QueryExecutorProvider, name: string): Promise<boolean> {
  const [row] = await looking.execute(db, name);
  return row?.there === true;
}
