import { type Kysely, sql } from "kysely";
import { type Alarms, noneIsOpen, wasRaisedSince } from "../alarms/alarms.ts";
import { returned } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { VaryingStatement } from "../database/varying-statement.ts";
import { change, readStanding } from "./change.ts";
import { lastingAlarms, MOST_RETRY_AFTER_MS } from "./machine.ts";
import { SOURCE, TOPIC, type UpstreamKind } from "./upstream-kind.ts";

/** What asked for longer was told when it named that moment. */
const LONGEST = sql.lit(`${MOST_RETRY_AFTER_MS} ms`);

const untold = new VaryingStatement(
  {
    name: returned.text(),
    alarm: returned.text<"failing" | "paused" | "retry_after">(),
    error: returned.text(),
  },
  ({ kind, names }: { kind: UpstreamKind; names: readonly string[] }) => {
    const key = sql.ref(`${kind.table}.${kind.key}`);
    return sql`
      select ${key} as name, lasting.alarm, coalesce(last_error, '') as error
      from ${sql.table(kind.table)} cross join lateral (values
        ('failing', ${kind.alarms.failing}::text, faults + slow_downs >= ${sql.lit(kind.policy.alarmsAfter)}),
        ('paused', ${kind.alarms.paused}::text, paused_by = 'refused'),
        ('retry_after', ${kind.alarms.retry_after}::text, retry_at > '-infinity'
          and ${wasRaisedSince(sql.lit(kind.alarms.retry_after), key, sql`retry_at - ${LONGEST}::interval`)})
      ) as lasting (alarm, told_as, holds)
      where ${key} = any(${names}::text[]) and holds and ${noneIsOpen(sql`told_as`, key)}`;
  },
  [
    { kind: SOURCE, names: [] },
    { kind: TOPIC, names: [] },
  ],
);

/**
 * Raises the alarm of a state that lasts where none is open: whoever closed it took the source or topic for
 * gone. A state that changes meanwhile is left to its transition.
 */
export async function tellAgain(
  { db, alarms }: { db: Kysely<Tables>; alarms: Alarms },
  kind: UpstreamKind,
  names: readonly string[],
): Promise<void> {
  for (const { name, alarm, error } of await untold.execute(db, { kind, names })) {
    const standing = await readStanding(db, kind, name);
    if (standing === null || !lastingAlarms(standing, kind.policy).includes(alarm)) continue;
    const same = { standing, lastError: undefined, raises: [{ alarm, error }], clears: [] };
    const told = await change(db, kind, name, standing, same);
    if (told !== null) alarms.tellAll(told);
  }
}
