import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { PreparingClient } from "../../src/platform/database/connect.ts";
import type { Tables } from "../../src/platform/database/tables.ts";

interface Plan {
  "Actual Rows": number;
  "Actual Loops": number;
  Plans?: Plan[];
  [figure: string]: unknown;
}

/** How the session plans: the path's keep a plan from its first use on; all others make one for the values. */
type Planning = "force_generic_plan" | "force_custom_plan";

/** Time zone, date style and scans as sessions of the path have them. */
const EXPLAINING =
  "-c session_preload_libraries=auto_explain -c auto_explain.log_min_duration=0 -c auto_explain.log_analyze=on " +
  "-c auto_explain.log_timing=off -c auto_explain.log_format=json -c client_min_messages=log " +
  "-c timezone=UTC -c datestyle=ISO -c enable_seqscan=off";

/** A cursor is read some rows at a time, and its plan tells of all of them. */
const OF_A_CURSOR = /^\s*(declare|fetch|close)\b/i;

/**
 * The most rows that any step of any statement looked at, those that it passed over included: what shows work
 * that grows with a backlog, or with the square of a batch, without a clock.
 * @param before what the same session did before, with plans of that time.
 */
export async function maxRowsOf(
  url: string,
  work: (db: Kysely<Tables>) => Promise<unknown>,
  before: (db: Kysely<Tables>) => Promise<unknown> = async () => undefined,
  planning: Planning = "force_generic_plan",
): Promise<number> {
  const plans: Plan[] = [];
  const options = `${EXPLAINING} -c plan_cache_mode=${planning}`;
  const pool = new pg.Pool({ connectionString: url, max: 1, options, Client: PreparingClient });
  pool.on("connect", (client) =>
    client.on("notice", ({ message = "" }) => {
      const start = message.indexOf("{");
      if (start === -1) return;
      const explained = JSON.parse(message.slice(start)) as { "Query Text": string; Plan: Plan };
      if (!OF_A_CURSOR.test(explained["Query Text"])) plans.push(explained.Plan);
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
  return Math.max(...plans.map(maxRows));
}

function maxRows({ Plans = [], ...node }: Plan): number {
  const removed = Object.entries(node).filter(([name]) => name.startsWith("Rows Removed"));
  const rows = removed.reduce((sum, [, count]) => sum + Number(count), node["Actual Rows"]);
  return Math.max(rows * node["Actual Loops"], ...Plans.map(maxRows));
}
