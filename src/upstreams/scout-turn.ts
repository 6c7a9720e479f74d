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
  const taken = await db
    .updateTable("source")
    .set({ scout_at: inMs(leaseMs) })
    .where("name", "=", source)
    .where("unknown_share", ">", FLOODED)
    .where("scout_at", "<=", sql<Date>`clock_timestamp()`)
    .where(sql<boolean>`${sourceIsOpen}`)
    .where(when)
    .returning(sql<Date>`clock_timestamp()`.as("now"))
    .executeTakeFirst();
  return taken?.now ?? null;
}

/** The next round, in whichever process, begins this much later, in ms. */
export async function nextScoutTurnIn(db: Kysely<Tables>, source: string, ms: number): Promise<void> {
  await db
    .updateTable("source")
    .set({ scout_at: inMs(ms) })
    .where("name", "=", source)
    .execute();
}

const inMs = (ms: number) => sql<Date>`clock_timestamp() + ${ms}::float8 * interval '1 ms'`;
