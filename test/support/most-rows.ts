import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { PreparingClient } from "../../src/database/relay-client.ts";
import type { Tables } from "../../src/database/tables.ts";

interface Plan {
  "Actual Rows": number;
  "Actual Loops": number;
  Plans?: Plan[];
  [figure: string]: unknown;
}

/** Scans as sessions of the path have them, and plans that are kept from their first use on. */
const EXPLAINING = [
  "session_preload_libraries=auto_explain",
  "auto_explain.log_min_duration=0",
  "auto_explain.log_analyze=on",
  "auto_explain.log_timing=off",
  "auto_explain.log_format=json",
  "client_min_messages=log",
  "enable_seqscan=off",
  "plan_cache_mode=force_generic_plan",
]
  .map((setting) => `-c ${setting}`)
  .join(" ");

/**
 * The most rows that any step of any statement looked at, those that it passed over included: what shows work
 * that grows with a backlog, or with the square of a batch, without a clock.
 * @param before what the same session did before, with plans of that time.
 */
export async function mostRowsOf(
  url: string,
  work: (db: Kysely<Tables>) => Promise<unknown>,
  before: (db: Kysely<Tables>) => Promise<unknown> = async () => undefined,
): Promise<number> {
  const plans: Plan[] = [];
  const pool = new pg.Pool({ connectionString: url, max: 1, options: EXPLAINING, Client: PreparingClient });
  pool.on("connect", (client) =>
    client.on("notice", ({ message = "" }) => {
      const start = message.indexOf("{");
      if (start !== -1) plans.push((JSON.parse(message.slice(start)) as { Plan: Plan }).Plan);
    }),
  );
  // Its session ends a moment after the pool does, with the database perhaps.
  pool.on("error", () => undefined);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await before(db);
    plans.length = 0;
    await work(db);
  } finally {
    await db.destroy();
  }
  if (plans.length === 0) throw new Error("Postgres explained no statement");
  return Math.max(...plans.map(mostRows));
}

function mostRows({ Plans = [], ...node }: Plan): number {
  const removed = Object.entries(node).filter(([name]) => name.startsWith("Rows Removed"));
  const rows = removed.reduce((sum, [, count]) => sum + Number(count), node["Actual Rows"]);
  return Math.max(rows * node["Actual Loops"], ...Plans.map(mostRows));
}
