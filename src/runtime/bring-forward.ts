import { type RawBuilder, sql } from "kysely";
import { longestWaits } from "../pipeline/confirm/index.ts";
import { CERTIFICATE_BACK_OFF, SWEEP_BACK_OFF } from "../pipeline/reconcile/index.ts";
import { NOTIFYING_WAITS } from "../platform/alarms/index.ts";
import { type Database, interval, type Tables, VaryingStatement } from "../platform/database/index.ts";

import { listGapMs, RETRY_AFTER_LIMIT_MS, SOURCE, TOPIC } from "../platform/upstreams/index.ts";

interface Times {
  leaseMs: number;
  /** From one sweep of a collection to the next. */
  sweepMs: number;
}

/** One moment that work waits for, and the longest that anything waits for it, in ms or as an interval. */
interface Wait {
  table: keyof Tables;
  column: string;
  longest: number | RawBuilder<unknown>;
  /** Which rows wait, as their index has it; all when left out. */
  which?: RawBuilder<unknown>;
}

const IS_DUE = sql`state = 'due'`;
const IS_CLAIMED = sql`state = 'claimed'`;

const retry = sql`(array[${sql.join(longestWaits().map(interval))}])[attempt + 1]`;

/** All that work waits for. A lease may be another process', whose LEASE_DURATION differs by less than three times. */
export function waitsOf({ leaseMs, sweepMs }: Times): readonly Wait[] {
  const lease = 3 * leaseMs;
  const sweep = Math.max(sweepMs, SWEEP_BACK_OFF.capMs);
  return [
    { table: "confirmation", column: "due_at", longest: retry, which: IS_DUE },
    { table: "confirmation", column: "claimed_until", longest: lease, which: IS_CLAIMED },
    { table: "outbox", column: "due_at", longest: TOPIC.policy.backOff.capMs, which: IS_DUE },
    { table: "outbox", column: "claimed_until", longest: lease, which: IS_CLAIMED },
    { table: "sweep", column: "due_at", longest: sweep },
    { table: "sweep", column: "claimed_until", longest: lease },
    // The next automatic sweep goes on from where the last one ended.
    { table: "sweep", column: "started_at", longest: 0, which: sql`kind = 'automatic'` },
    { table: "sweep", column: "window_to", longest: 0, which: sql`kind = 'automatic'` },
    { table: "certificate", column: "due_at", longest: CERTIFICATE_BACK_OFF.capMs },
    { table: "certificate", column: "claimed_until", longest: lease },
    { table: "replay", column: "claimed_until", longest: lease },
    { table: "source", column: "opens_at", longest: RETRY_AFTER_LIMIT_MS },
    { table: "source", column: "retry_at", longest: RETRY_AFTER_LIMIT_MS },
    { table: "source", column: "probe_at", longest: SOURCE.policy.probe.capMs },
    { table: "source", column: "list_at", longest: listGapMs(1) },
    { table: "source", column: "allowance_at", longest: 0 },
    { table: "source", column: "next_unknown_at", longest: 1_000 },
    { table: "source", column: "not_found_at", longest: 0 },
    { table: "source", column: "first_served_at", longest: 0 },
    { table: "topic", column: "opens_at", longest: RETRY_AFTER_LIMIT_MS },
    { table: "topic", column: "retry_at", longest: RETRY_AFTER_LIMIT_MS },
    { table: "topic", column: "probe_at", longest: TOPIC.policy.probe.capMs },
    { table: "alarm_telling", column: "next_at", longest: Math.max(lease, NOTIFYING_WAITS.afterFailureMs) },
    { table: "relay_process", column: "seen_at", longest: 0 },
  ];
}

/** Rows are written a little later than the moment that they are reckoned from, and coalesced callbacks wait for 2 s. */
const TOLERANCE = interval(10_000);

/** So many rows at once are written well within a statement's time. */
const AT_ONCE = 10_000;

const bringOneForward = new VaryingStatement(
  {},
  ({ table, column, longest, which = sql`true` }: Wait) => sql`
    update ${sql.table(table)} set ${sql.ref(column)} = clock_timestamp()
    where ctid = any(array(
      select ctid from ${sql.table(table)}
      where ${which} and ${sql.ref(column)} > now()
        + ${typeof longest === "number" ? interval(longest) : longest} + ${TOLERANCE}
      limit ${AT_ONCE} for update skip locked))`,
  waitsOf({ leaseMs: 1, sweepMs: 1 }) as [Wait, ...Wait[]],
);

/**
 * Brings forward to now what is due later than anything waits: Postgres' clock was set back since it was written.
 * Run each hour, it has such a step delay work by about an hour at most, whoever saw it. A locked row is being
 * written at this moment.
 * @returns how many moments were moved.
 */
export async function bringForward(db: Database, times: Times): Promise<number> {
  let moved = 0;
  for (const wait of waitsOf(times))
    for (let rows = AT_ONCE; rows === AT_ONCE; moved += rows) rows = await bringOneForward.write(db, wait);
  return moved;
}
