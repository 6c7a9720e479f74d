import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { CHANNEL, type Work } from "./wake-up.ts";

/** Wakes the workers of all processes, from a program that runs none itself. */
export async function notifyWorkers(db: Kysely<Tables>, work: Work): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${`operator ${work}`})`.execute(db);
}
