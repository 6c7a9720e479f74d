import { type Kysely, sql } from "kysely";
import { returned, Statement } from "./statement.ts";

const reading = new Statement(
  { version: returned.text() },
  () => sql`select split_part(current_setting('server_version'), ' ', 1) as version`,
);

/** Such as `17.2`. */
export async function readPostgresVersion<Schema>(db: Kysely<Schema>): Promise<string> {
  const [row] = await reading.execute(db);
  return row?.version ?? "unknown";
}
