import { type Kysely, sql } from "kysely";
import { type Alarm, alarmsOf, CLEARED, type EndedAlarm, type Told } from "../database/alarms.ts";
import type { Tables } from "../database/tables.ts";
import type { Standing, Transition } from "./machine.ts";
import type { UpstreamKind } from "./upstream-kind.ts";

/** A standing, the version of the row that it was read from, and when a refused one is tried next. */
export type Read = Standing & { version: number; probeInMs: number };

const msUntil = (column: string) => sql<number>`
  case when ${sql.ref(column)} = '-infinity' then 0
    else extract(epoch from ${sql.ref(column)} - clock_timestamp()) * 1000 end::float8`;

/** @returns null when there is no such row. */
export async function readStanding(
  db: Kysely<Tables>,
  kind: UpstreamKind,
  name: string,
): Promise<Read | null> {
  const { rows } = await sql<Read>`
    select version, faults, ${msUntil("opens_at")} as "opensInMs", ${msUntil("retry_at")} as "retryInMs",
      coalesce(${msUntil("probe_at")}, 0) as "probeInMs",
      case when coalesce(paused_until <= now(), false) then null else paused_by end as "pausedBy"
    from ${sql.table(kind.table)} where ${sql.ref(kind.key)} = ${name}`.execute(db);
  return rows[0] ?? null;
}

// A pause that has ended by itself reads as none; its columns stay until its end is written down.
const pausing = (pausedBy: Standing["pausedBy"], pause: Transition["pause"]) => sql`
  paused_by = ${pausedBy}, paused_at = ${pausedBy === null ? null : sql`clock_timestamp()`},
  paused_until = ${pause?.until ?? null}, pause_reason = ${pause?.reason ?? null},`;

/**
 * Writes a transition together with the alarms that it raises and clears (G13), in one statement, unless the
 * row has changed since it was read: nothing is ever decided on old facts, and no lock outlives a round trip.
 * @returns null when the row had changed: read it again.
 */
export async function change(
  db: Kysely<Tables>,
  kind: UpstreamKind,
  name: string,
  before: Read,
  { standing, lastError, raises, clears, pause }: Transition,
): Promise<Told | null> {
  const about = (alarm: "failing" | "paused" | "retry_after") => ({
    name: kind.alarms[alarm],
    source: kind.sourceOf(name),
    subject: name,
  });
  const raised: Alarm[] = raises.map(({ alarm, error }) => ({
    ...about(alarm),
    detail: kind.words(alarm, name, error),
  }));
  // One that has passed is kept: what waited for it says so when it is over.
  const moment = (ms: number) =>
    ms === 0 ? sql`'-infinity'::timestamptz` : sql`clock_timestamp() + ${ms}::float8 * interval '1 ms'`;
  const { pausedBy } = standing;
  const firstProbe = sql`coalesce(probe_at, ${moment(kind.policy.probe.firstMs)})`;
  const { rows } = await sql<{ cleared: EndedAlarm[] }>`
    with moved as (
      update ${sql.table(kind.table)} set version = version + 1, faults = ${standing.faults},
        last_error = ${lastError === undefined ? sql`last_error` : lastError},
        opens_at = ${moment(standing.opensInMs)}, retry_at = ${moment(standing.retryInMs)},
        ${pausedBy === before.pausedBy && pause === undefined ? sql`` : pausing(pausedBy, pause)}
        probe_at = ${pausedBy === "refused" ? firstProbe : sql`null`}
      where ${sql.ref(kind.key)} = ${name} and version = ${before.version}
      returning 1),
    ${alarmsOf({ raises: raised, clears: clears.map(about) })}
    select ${CLEARED} from moved`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  return { raised, cleared: row.cleared };
}
