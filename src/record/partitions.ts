import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { step } from "../kit/step.ts";

const MONTHS_AHEAD = 3;

/** One partition of `callback`: a month of the log, in UTC. */
export interface Partition {
  name: string;
  /** First instant inside, ISO 8601. */
  from: string;
  /** First instant after, ISO 8601. */
  to: string;
}

/** The partitions that should stand at `now`: this month's, and those of the three months to come. */
export function partitionsDue(now: Date): Partition[] {
  return Array.from({ length: MONTHS_AHEAD + 1 }, (_, ahead) => {
    const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1));
    const to = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead + 1, 1));
    const month = from.toISOString().slice(0, 7).replace("-", "_");
    return { name: `callback_${month}`, from: from.toISOString(), to: to.toISOString() };
  });
}

/**
 * Makes the partitions that are due and missing. Rows that the default partition took in their stead move over.
 * @returns the names of those it made.
 */
export async function makePartitions(db: Kysely<Tables>, now: Date = new Date()): Promise<string[]> {
  const made: string[] = [];
  for (const partition of partitionsDue(now)) {
    if (!(await makePartition(db, partition))) continue;
    step("partition made");
    made.push(partition.name);
  }
  return made;
}

function makePartition(db: Kysely<Tables>, partition: Partition): Promise<boolean> {
  const name = sql.id(partition.name);
  const [from, to] = [sql.lit(partition.from), sql.lit(partition.to)];
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('invoice-relay partitions'))`.execute(trx);
    const found = await sql<{
      there: boolean;
    }>`select to_regclass(${partition.name}) is not null as there`.execute(trx);
    if (found.rows[0]?.there === true) return false;
    await sql`create table ${name} (like callback including defaults including constraints)`.execute(trx);
    await sql`set local invoice_relay.moves_partition = 'on'`.execute(trx);
    await sql`lock table callback_default in exclusive mode`.execute(trx);
    await sql`
      with moved as (delete from callback_default where received_at >= ${from} and received_at < ${to} returning *)
      insert into ${name} select * from moved`.execute(trx);
    await sql`alter table callback attach partition ${name} for values from (${from}) to (${to})`.execute(
      trx,
    );
    step("partition to be made");
    return true;
  });
}
