import { sql, type Transaction } from "kysely";
import {
  command,
  type Database,
  type RowOf,
  returned,
  type Slots,
  Statement,
  type Tables,
} from "../../../platform/database/index.ts";
import { failpoint } from "../../../platform/process/index.ts";

const MONTHS_AHEAD = 3;

/** A partition of `callback`: a month of the log, in UTC. */
interface Partition {
  name: string;
  from: string;
  to: string;
}

/** The partitions that should stand at `now`: this month's, and those of the three months to come. */
function partitionsDue(now: Date): Partition[] {
  return Array.from({ length: MONTHS_AHEAD + 1 }, (_, ahead) => {
    const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1));
    const to = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead + 1, 1));
    const month = from.toISOString().slice(0, 7).replace("-", "_");
    return { name: `callback_${month}`, from: from.toISOString(), to: to.toISOString() };
  });
}

/**
 * Makes the partitions that are due and missing, and moves the rows that the default partition took in their
 * stead.
 * @param brief gives up one that takes longer than a few seconds, since callbacks wait meanwhile.
 * @returns the names of those it made.
 * @throws lock_not_available (SQLSTATE 55P03) when the log stays busy.
 */
export async function makePartitions(
  db: Database,
  now = new Date(),
  { brief = false } = {},
): Promise<string[]> {
  const made: string[] = [];
  for (const { name, from } of partitionsDue(now)) {
    failpoint("partition to be made");
    const isNew = await db.transaction().execute(async (trx) => {
      if (brief) await holdBriefly(trx);
      const [row] = await createPartition.execute(trx, { from });
      return row?.made === true;
    });
    if (!isNew) continue;
    failpoint("partition made");
    made.push(name);
  }
  return made;
}

const createPartition = new Statement(
  { made: returned.boolean },
  ({ value }: Slots<{ from: string }>) => sql`
    select make_callback_partition((${value(({ from }) => from)}::timestamptz at time zone 'UTC')::date)
      as made`,
);

/** Callbacks wait for the locks of this transaction: it waits two seconds for them, and holds them for five. */
const holdBriefly = command(
  () => sql`
    select set_config(name, value, true)
    from (values ('statement_timeout', '5s'), ('lock_timeout', '2s')) as limits (name, value)`,
);

const PARTITION = { name: returned.text(), to: returned.time };

/** A month of the log that is past its time. */
export type OldPartition = RowOf<typeof PARTITION>;

const selectPartitions = new Statement(
  PARTITION,
  ({ value }: Slots<{ before: Date }>) => sql`
    select * from (
      select child.relname::text as name,
        substring(pg_get_expr(child.relpartbound, child.oid)
          from $re$TO \\('([^']+)'\\)$re$)::timestamptz as to
      from pg_inherits join pg_class as child on child.oid = inhrelid
      where inhparent = 'callback'::regclass) as partition
    where "to" <= ${value(({ before }) => before)} order by "to"`,
);

/** The partitions that end at `before` or earlier, the oldest first. */
export const partitionsBefore = (db: Database, before: Date) => selectPartitions.execute(db, { before });

const dropTable = command((name: string) => sql`drop table ${sql.table(name)}`, "callback_default");

/**
 * Drops a month of the log. Incoming callbacks wait until the transaction ends, so the caller is to commit at once.
 * @throws lock_not_available (SQLSTATE 55P03) when the log is busy.
 */
export async function dropPartition(trx: Transaction<Tables>, { name }: OldPartition): Promise<void> {
  await holdBriefly(trx);
  await dropTable(trx, name);
}

const AT_ONCE = 5_000;

const deleteStragglers = command(
  (before: Date) => sql`
    delete from callback_default where ctid = any(array(
      select ctid from callback_default where received_at < ${before} limit ${sql.lit(AT_ONCE)}))`,
);

/** Deletes old callbacks for which no partition stood ready. @returns how many. */
export async function dropStragglers(db: Database, before: Date): Promise<number> {
  for (let gone = 0; ; ) {
    const some = await deleteStragglers(db, before);
    gone += some;
    if (some < AT_ONCE) return gone;
  }
}

/** A callback by its primary key. Its time as text: a Date has no microseconds. */
export interface CallbackKey {
  at: string;
  id: string;
}
