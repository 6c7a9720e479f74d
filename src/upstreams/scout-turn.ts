import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { FLOODED, sourceIsOpen } from "./upstream-kind.ts";

/**
 * Whether this process is the one to look through the list of a flooded source now.
 * @param when a condition on rows of `source`.
 * @returns Postgres' time; null when it is not.
 */
export async function takeScoutTurn(
  db: Kysely<Tables>,
  source: string,
  leaseMs: number,
  when: RawBuilder<boolean>,
): Promise<Date | null> {
  const { rows } = await sql<{ now: Date }>`
    update source set scout_at = clock_timestamp() + ${leaseMs}::float8 * interval '1 ms'
    where name = ${source} and unknown_share > ${FLOODED} and scout_at <= clock_timestamp()
      and ${sourceIsOpen}
      and ${when}
    returning clock_timestamp() as now`.execute(db);
  return rows[0]?.now ?? null;
}

/** The next round, in whichever process, begins this much later, in ms. */
export async function nextScoutTurnIn(db: Kysely<Tables>, source: string, ms: number): Promise<void> {
  await sql`
    update source set scout_at = clock_timestamp() + ${ms}::float8 * interval '1 ms'
      where name = ${source}`.execute(db);
}
