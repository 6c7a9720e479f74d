import { type Kysely, sql } from "kysely";
import type { Tables } from "./tables.ts";

/**
 * Whether a relay is connected to this database now: commands and checks do not count. Behind a pooler it may
 * hide.
 */
export async function someRelayIsConnected(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity
    where datname = current_database() and application_name ~ '^invoice-relay'
      and application_name not in ('invoice-relay command', 'invoice-relay doctor') and pid <> pg_backend_pid()
    limit 1`.execute(db);
  return rows.length > 0;
}
