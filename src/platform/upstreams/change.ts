import { sql } from "kysely";
import {
  ALARM,
  type Alarm,
  alarmsOf,
  CLEARED,
  ENDED_ALARM,
  type EndedAlarm,
  selectCleared,
  type WrittenAlarms,
} from "../alarms/index.ts";
import {
  type Database,
  nullable,
  type RowOf,
  returned,
  tableOf,
  VaryingStatement,
} from "../database/index.ts";
import {
  type State,
  stateOf,
  type Transition,
  transition,
  type UpstreamAlarm,
  type UpstreamReport,
  type UpstreamRow,
} from "./machine.ts";
import { SOURCE, TOPIC, type UpstreamKind } from "./upstream-kind.ts";

/** An upstream, the version of the row that it was read from, and when a refused one is tried next. */
export type VersionedUpstream = UpstreamRow & { version: number; probeInMs: number };

const msUntil = (column: string) => sql`
  case when ${sql.ref(column)} = '-infinity' then 0
    else extract(epoch from ${sql.ref(column)} - clock_timestamp()) * 1000 end::float8`;

interface UpstreamName {
  kind: UpstreamKind;
  name: string;
}

const selectUpstream = new VaryingStatement(
  {
    version: returned.integer,
    faults: returned.integer,
    slowDowns: returned.integer,
    opensInMs: returned.float,
    retryInMs: returned.float,
    probeInMs: returned.float,
    pausedBy: nullable(returned.text<"operator" | "refused">()),
  },
  ({ kind, name }: UpstreamName) => sql`
    select version, faults, slow_downs as "slowDowns",
      ${msUntil("opens_at")} as "opensInMs", ${msUntil("retry_at")} as "retryInMs",
      coalesce(${msUntil("probe_at")}, 0) as "probeInMs",
      paused_by as "pausedBy"
    from ${sql.table(kind.table)} where ${sql.ref(kind.key)} = ${name}`,
  [
    { kind: SOURCE, name: "" },
    { kind: TOPIC, name: "" },
  ],
);

/** @returns null when there is no such row. */
export async function readUpstreamRow(
  db: Database,
  kind: UpstreamKind,
  name: string,
): Promise<VersionedUpstream | null> {
  const [row] = await selectUpstream.execute(db, { kind, name });
  return row ?? null;
}

const setPause = (pausedBy: UpstreamRow["pausedBy"], reason: string | null) => sql`
  paused_by = ${pausedBy}, paused_at = ${pausedBy === null ? null : sql`clock_timestamp()`},
  pause_reason = ${reason},`;

// 0 is none. A moment that has passed is kept, so that the next success can close its alarm.
const moment = (ms: number) =>
  ms === 0 ? sql`'-infinity'::timestamptz` : sql`clock_timestamp() + ${ms}::float8 * interval '1 ms'`;

type Change = UpstreamName & { before: VersionedUpstream } & Pick<
    Transition,
    "upstream" | "lastError" | "pause"
  > & {
    raised: readonly Alarm[];
    ended: readonly EndedAlarm[];
  };

const NEW: VersionedUpstream = {
  version: 0,
  faults: 0,
  slowDowns: 0,
  opensInMs: 0,
  retryInMs: 0,
  probeInMs: 0,
  pausedBy: null,
};
const PAUSED: VersionedUpstream = { ...NEW, opensInMs: 1, pausedBy: "operator" };
const REFUSED: VersionedUpstream = { ...NEW, retryInMs: 1, pausedBy: "refused" };
const NO_ALARMS = { raised: [], ended: [] };

const updateUpstream = new VaryingStatement(
  CLEARED,
  ({ kind, name, before, upstream, lastError, pause, raised, ended }: Change) => {
    const { pausedBy } = upstream;
    const firstProbe = sql`coalesce(probe_at, ${moment(kind.policy.probe.firstMs)})`;
    return sql`
      with moved as (
        update ${sql.table(kind.table)} set version = version + 1, faults = ${upstream.faults},
          slow_downs = ${upstream.slowDowns},
          last_error = ${lastError === undefined ? sql`last_error` : lastError},
          opens_at = ${moment(upstream.opensInMs)}, retry_at = ${moment(upstream.retryInMs)},
          ${pausedBy === before.pausedBy && pause === undefined ? sql`` : setPause(pausedBy, pause?.reason ?? null)}
          probe_at = ${pausedBy === "refused" ? firstProbe : sql`null`}
        where ${sql.ref(kind.key)} = ${name} and version = ${before.version}
        returning 1),
      ${alarmsOf(tableOf("alarm", ALARM, raised), tableOf("ends", ENDED_ALARM, ended))}
      select ${selectCleared} from moved`;
  },
  [
    { ...NO_ALARMS, kind: SOURCE, name: "", before: NEW, upstream: PAUSED, lastError: undefined },
    { ...NO_ALARMS, kind: TOPIC, name: "", before: PAUSED, upstream: REFUSED, lastError: "" },
    { ...NO_ALARMS, kind: TOPIC, name: "", before: REFUSED, upstream: NEW, lastError: null },
  ],
);

/**
 * Writes a transition together with the alarms that it raises and clears (G13), in one statement, unless the
 * row has changed since it was read: nothing is ever decided on old facts, and no lock outlives a round trip.
 * @returns null when the row had changed: read it again.
 */
export async function change(
  db: Database,
  kind: UpstreamKind,
  name: string,
  before: VersionedUpstream,
  { upstream, lastError, raises, clears, pause }: Transition,
): Promise<WrittenAlarms | null> {
  const about = (alarm: UpstreamAlarm) => ({
    name: kind.alarms[alarm],
    source: kind.sourceOf(name),
    subject: name,
  });
  const raised: Alarm[] = raises.map(({ alarm, error }) => ({
    ...about(alarm),
    detail: kind.words(alarm, name, error),
  }));
  const ended = clears.map(about);
  const [row] = await updateUpstream.execute(db, {
    ...{ kind, name, before, upstream, lastError, raised, ended },
    ...(pause === undefined ? {} : { pause }),
  });
  if (row === undefined) return null;
  return { raised, cleared: row.cleared };
}

/** In the caller's transaction. @returns null when it changes nothing, or there is no such row. */
export async function changeByHand(
  trx: Database,
  kind: UpstreamKind,
  name: string,
  signal: Extract<UpstreamReport, { kind: "pause" | "resume" }>,
): Promise<{ before: VersionedUpstream; alarms: WrittenAlarms } | null> {
  for (;;) {
    const before = await readUpstreamRow(trx, kind, name);
    const after = before === null ? null : transition(before, signal, kind.policy, Math.random());
    if (before === null || after === null) return null;
    const alarms = await change(trx, kind, name, before, after);
    if (alarms !== null) return { before, alarms };
  }
}

const UPSTREAM = {
  name: returned.text(),
  pausedBy: nullable(returned.text<"operator" | "refused">()),
  pausedAt: nullable(returned.time),
  pauseReason: nullable(returned.text()),
  lastError: nullable(returned.text()),
  /** The end of its back-off or of the wait that it demanded. */
  opensAt: nullable(returned.time),
};

/** A source or topic, as lists show it. */
export type ListedUpstream = RowOf<typeof UPSTREAM> & { state: State };

const selectUpstreams = new VaryingStatement(
  UPSTREAM,
  (kind: UpstreamKind) => sql`
    select ${sql.ref(kind.key)} as name, paused_by as "pausedBy", paused_at as "pausedAt",
      pause_reason as "pauseReason", last_error as "lastError",
      nullif(greatest(opens_at, now()), now()) as "opensAt"
    from ${sql.table(kind.table)} order by 1`,
  [SOURCE, TOPIC],
);

/** All that `serve` ever knew, by name. */
export async function listUpstreams(db: Database, kind: UpstreamKind): Promise<ListedUpstream[]> {
  const upstreams: ListedUpstream[] = [];
  for (const row of await selectUpstreams.execute(db, kind)) {
    const upstream = await readUpstreamRow(db, kind, row.name);
    if (upstream !== null) upstreams.push({ ...row, state: stateOf(upstream, kind.policy) });
  }
  return upstreams;
}
