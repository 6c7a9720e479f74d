import { type Kysely, type RawBuilder, sql } from "kysely";
import { interval, isTooFarAhead } from "../database/moments.ts";
import { returned } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { clockTime, typed } from "../database/typed.ts";
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
    .where(sql<boolean>`
      (scout_at <= clock_timestamp() or ${isTooFarAhead(sql`scout_at`, interval(leaseMs))})`)
    .where(sql<boolean>`${sourceIsOpen}`)
    .where(when)
    .returning(clockTime.as("now"))
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

const inMs = (ms: number) => typed(returned.time, sql`clock_timestamp() + ${ms}::float8 * interval '1 ms'`);
