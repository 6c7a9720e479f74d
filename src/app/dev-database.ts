import { sql } from "kysely";
import type { Database } from "../database/connect.ts";
import { RelayError } from "../kit/errors.ts";

/** The account of the local SNS. */
const LOCAL_TOPIC = "arn:aws:sns:%:000000000000:%";

/**
 * A local relay would confirm and publish what it finds due, and what it finds in the database of a real one is
 * real. @throws RelayError when a relay with a topic at Amazon works on this database.
 */
export async function refuseForeignDatabase(db: Database): Promise<void> {
  const found = await sql<{ there: boolean }>`select to_regclass('topic') is not null as there`.execute(db);
  if (found.rows[0]?.there !== true) return;
  const { rows } = await sql<{
    arn: string;
  }>`select arn from topic where arn not like ${LOCAL_TOPIC} limit 1`.execute(db);
  const [real] = rows;
  if (real === undefined) return;
  throw new RelayError(
    `The database in DATABASE_URL belongs to a relay that publishes to ${real.arn}. What runs here is for trying things out and would mix up its invoices: unset DATABASE_URL, or name another database.`,
    { next: "refuse" },
  );
}
