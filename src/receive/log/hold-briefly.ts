import { sql, type Transaction } from "kysely";
import type { Tables } from "../../database/tables.ts";

/**
 * Lets no statement of this transaction take longer than a few seconds: it holds a lock that callbacks wait
 * for. What takes longer fails (SQLSTATE 57014), and is told as maintenance that fails.
 */
export async function holdBriefly(trx: Transaction<Tables>): Promise<void> {
  await sql`set local statement_timeout = '5s'`.execute(trx);
}
