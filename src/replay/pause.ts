import { type Kysely, sql } from "kysely";
import { audit } from "../database/audit.ts";
import type { Tables } from "../database/tables.ts";
import { notifyWorkers } from "../workers/notify-workers.ts";
import { closeAlarms } from "./close-alarms.ts";

/** A source that is not asked, or a topic that is not sent to. */
export type Gate = { work: "confirm"; source: string } | { work: "publish"; topicArn: string };

export interface GateState {
  /** The source's name, or the topic's ARN. */
  name: string;
  pausedBy: string | null;
  pausedAt: Date | null;
  lastError: string | null;
}

export interface GateChange {
  db: Kysely<Tables>;
  actor: string;
  work: "confirm" | "publish";
  /** Sources' names, or topics' ARNs; `all` for every one that `serve` ever knew. */
  names: readonly string[] | "all";
}

export interface GateResult {
  work: "confirm" | "publish";
  /** The names that changed. */
  changed: string[];
  /** Those that were in that state already. */
  unchanged: string[];
  /** Those that no `serve` has ever known. */
  unknown: string[];
}

const TABLES = {
  confirm: { table: sql.table("source"), name: sql.ref("name"), alarm: "source_paused" },
  publish: { table: sql.table("topic"), name: sql.ref("arn"), alarm: "topic_paused" },
} as const;

/** What is asked and sent to, and what is paused. */
export async function listGates(db: Kysely<Tables>, work: "confirm" | "publish"): Promise<GateState[]> {
  const { table, name } = TABLES[work];
  const { rows } = await sql<GateState>`
    select ${name} as name, paused_by as "pausedBy", paused_at as "pausedAt", last_error as "lastError"
    from ${table} order by 1`.execute(db);
  return rows;
}

/** No new question is asked, or event sent, until `resume`; what is under way ends by itself. Callbacks are recorded all the same. */
export const pause = (options: GateChange): Promise<GateResult> =>
  change(
    options,
    "pause",
    sql`paused_by = 'operator', paused_at = clock_timestamp()`,
    sql`paused_by is distinct from 'operator'`,
  );

/** Goes on at once, whoever paused it and whatever back-off there was. */
export async function resume(options: GateChange): Promise<GateResult> {
  const probe = options.work === "confirm" ? sql`, probe_at = null` : sql``;
  const result = await change(
    options,
    "resume",
    sql`paused_by = null, paused_at = null, opens_at = '-infinity'${probe}`,
    sql`paused_by is not null`,
  );
  await notifyWorkers(options.db, options.work);
  return result;
}

async function change(
  { db, actor, work, names }: GateChange,
  action: "pause" | "resume",
  assignments: ReturnType<typeof sql>,
  differs: ReturnType<typeof sql>,
): Promise<GateResult> {
  const { table, name, alarm } = TABLES[work];
  return await db.transaction().execute(async (trx) => {
    const known = (await listGates(trx, work)).map((gate) => gate.name);
    const wanted = names === "all" ? known : names;
    const { rows } = await sql<{ name: string; before: string | null }>`
      with before as (select ${name} as key, paused_by from ${table} where ${name} = any(${[...wanted]}::text[]) and ${differs} for update)
      update ${table} as gate set ${assignments} from before where gate.${name} = before.key
      returning before.key as name, before.paused_by as before`.execute(trx);
    if (action === "resume")
      await closeAlarms(
        trx,
        [alarm],
        rows.map((row) => row.name),
      );
    await audit(
      trx,
      rows.map((row) => ({
        actor,
        action: `${action}.${work}`,
        subject: row.name,
        invoiceId: null,
        detail: { before: row.before },
      })),
    );
    const changed = rows.map((row) => row.name).sort();
    return {
      work,
      changed,
      unchanged: known.filter((one) => wanted.includes(one) && !changed.includes(one)),
      unknown: wanted.filter((one) => !known.includes(one)),
    };
  });
}
