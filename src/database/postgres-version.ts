import { type Kysely, sql } from "kysely";

/** Such as `17.2`. */
export async function readPostgresVersion<Schema>(db: Kysely<Schema>): Promise<string> {
  const { rows } = await sql<{ version: string }>`
    select split_part(current_setting('server_version'), ' ', 1) as version`.execute(db);
  return rows[0]?.version ?? "unknown";
}
