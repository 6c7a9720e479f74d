import { sql } from "kysely";
import {
  type Alarm,
  clearAlarms,
  type EndedAlarm,
  raiseAlarms,
  type WrittenAlarms,
} from "../alarms/index.ts";
import { type Columns, type Database, returned, type Slots, Statement, text } from "../database/index.ts";

/** Maintenance that ended in an error, or could not be done. */
export interface FailedChore {
  chore: string;
  /** How long it may fail before people are notified: an interval of Postgres. */
  notifiedAfter: string;
  /** No secrets, no personal data. */
  error: string;
}

const FAILED: Columns<FailedChore> = {
  name: text(({ chore }) => chore),
  notified_after: text(({ notifiedAfter }) => notifiedAfter),
  error: text(({ error }) => error),
};

interface TriedChores {
  failed: readonly FailedChore[];
  done: readonly string[];
}

const noteAndAlarm = new Statement(
  {
    failures: returned.integer,
    raised: returned.json<Alarm[]>(),
    cleared: returned.json<EndedAlarm[]>(),
  },
  ({ table, value }: Slots<TriedChores>) => sql`
    with failed as materialized (select * from ${table("given", FAILED, ({ failed }) => failed)}),
    moved as (
      insert into failing_chore as known (name, last_error) select name, error from failed order by name
      on conflict (name) do update set failures = known.failures + 1, last_error = excluded.last_error,
        failing_since = least(known.failing_since, excluded.failing_since)
      returning name, failing_since, failures, last_error),
    ended as (
      delete from failing_chore where name = any(${value(({ done }) => done)}::text[]) returning name),
    alarming as (
      select 'maintenance_failing' as name, '' as source, moved.name as subject,
        format('It fails since %s, %s times: %s It is tried again automatically.',
          to_char(failing_since, 'YYYY-MM-DD HH24:MI "UTC"'), failures, last_error) as detail
      from moved join failed on failed.name = moved.name
      where failing_since <= clock_timestamp() - notified_after::interval),
    raised as (${raiseAlarms(sql`select * from alarming`)}),
    cleared as (
      ${clearAlarms(sql`name = 'maintenance_failing' and subject in (select name from ended)`)}
      returning name, source, subject)
    select coalesce((select max(failures) from moved), 0) as failures,
      coalesce((select json_agg(alarming) from alarming), '[]'::json) as raised,
      coalesce((select json_agg(cleared) from cleared), '[]'::json) as cleared`,
);

/**
 * Notes which maintenance failed and which was done, in any process, with the alarms of those that have failed for
 * too long (every change of state is notified, G13).
 * @returns `failures`: the longest run of failures of any of them.
 */
export async function noteChores(
  db: Database,
  given: TriedChores,
): Promise<WrittenAlarms & { failures: number }> {
  const [row] = await noteAndAlarm.execute(db, given);
  return row ?? { failures: 0, raised: [], cleared: [] };
}
