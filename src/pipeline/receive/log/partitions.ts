import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { command, type Database, returned, type Slots, Statement } from "../../../platform/database/index.ts";

import { isLockTimeout } from "../../../platform/errors/index.ts";
import { step } from "../../../platform/process/index.ts";

const MONTHS_AHEAD = 3;

/** One partition of `callback`: a month of the log, in UTC. */
interface Partition {
  name: string;
  from: string;
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
 * Makes the partitions that are due and missing, and moves the rows that the default partition took in their
 * stead.
 * @param tries how often a busy log is tried, with a second in between.
 * @param brief gives up one that takes longer than a few seconds, since callbacks wait meanwhile.
 * @returns the names of those it made.
 * @throws lock_not_available (SQLSTATE 55P03) when the log stays busy, insufficient_privilege (42501) without
 *   the right.
 */
export async function makePartitions(
  db: Database,
  now: Date = new Date(),
  { tries = 5, brief = false } = {},
): Promise<string[]> {
  const made: string[] = [];
  for (const { name, from } of partitionsDue(now)) {
    if (!(await whenNotBusy(tries, () => makePartition(db, from, brief)))) continue;
    step("partition made");
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

async function makePartition(db: Database, from: string, brief: boolean): Promise<boolean> {
  step("partition to be made");
  return await db.transaction().execute(async (trx) => {
    if (brief) await holdBriefly(trx);
    const [row] = await createPartition.execute(trx, { from });
    return row?.made === true;
  });
}

const selectPartition = new Statement(
  { isThere: returned.boolean },
  ({ value }: Slots<string>) => sql`select to_regclass(${value((name) => name)}) is not null as "isThere"`,
);

/** Whether the month after this one has its partition. */
export async function isReadyForNextMonth(db: Database, now: Date = new Date()): Promise<boolean> {
  const [row] = await selectPartition.execute(db, partitionsDue(now)[1]?.name ?? "");
  return row?.isThere === true;
}

const REST_MS = 1_000;

/** Tries again while others hold the locks that it needs. @throws lock_not_available after so many tries. */
export async function whenNotBusy<Result>(tries: number, work: () => Promise<Result>): Promise<Result> {
  for (let left = tries - 1; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left <= 0 || !isLockTimeout(error)) throw error;
      // Lets what waited behind the lock go first.
      await delay(REST_MS);
    }
  }
}

/**
 * Lets no statement of this transaction take longer than a few seconds: it holds a lock that callbacks wait
 * for. What takes longer fails (SQLSTATE 57014), and is reported as maintenance that fails.
 */
export const holdBriefly = command(() => sql`set local statement_timeout = '5s'`);
