import { sql } from "kysely";
import { ALARM, type Alarm, clearAlarms, raiseAlarms } from "../alarms/alarms.ts";
import { returned, type Slots, Statement } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import { step } from "../kit/step.ts";
import { DAY_MS } from "../kit/time.ts";
import { findingText } from "./finding-text.ts";
import type { Finding, LastCheck } from "./findings.ts";
import { SHARED } from "./kinds.ts";
import { verifyLedger } from "./verify.ts";

/** How often everything is read, and not only what is new. */
const WHOLE_EVERY_MS = 30 * DAY_MS;

/** What is new overlaps with what was new the last time. */
const OVERLAP_MS = 3_600_000;

const NAMED_LIMIT = 20;

export async function readLastCheck(db: Database): Promise<LastCheck | null> {
  const row = await db.selectFrom("ledger").select("checked").where("source", "=", SHARED).executeTakeFirst();
  return (row?.checked as LastCheck | null | undefined) ?? null;
}

/** A check that is due, and what the one before it found. */
export interface DueCheck {
  at: Date;
  checked: LastCheck | null;
}

// While the first reading goes on, most rows have no leaf yet: there is little to check, and much to read.
const takeCheck = new Statement(
  { at: returned.time, checked: returned.json<LastCheck | null>() },
  () => sql`
    update ledger set check_at = clock_timestamp() + interval '1 hour'
    where source = ${SHARED} and check_at <= clock_timestamp()
      and reading is not null and (reading->>'low' is not null or reading->>'place' is null)
    returning clock_timestamp() as at, checked`,
);

/** Takes the check that is due, if one is; whoever dies over it leaves it to others in an hour. */
export async function takeDueCheck(db: Database): Promise<DueCheck | null> {
  const [due] = await takeCheck.execute(db);
  return due ?? null;
}

const writeCheck = new Statement(
  {},
  ({ value, table }: Slots<{ check: LastCheck; alarms: readonly Alarm[] }>) => sql`
    with raised as (${raiseAlarms(sql`select alarm.* from ${table("alarm", ALARM, ({ alarms }) => alarms)}`)}),
    cleared as (${clearAlarms(sql`name = 'ledger_broken'
      and ${value(({ check }) => check.whole && check.findingsInAll === 0)}::boolean`)})
    update ledger set checked = ${value(({ check }) => JSON.stringify(check))}::json,
      check_at = clock_timestamp() + interval '1 day'
    where source = ${SHARED}`,
);

/**
 * Verifies what is new, once a month and after a finding everything, and says so (G13).
 * @returns why it ended early; null when it did not.
 */
export async function checkLedger(
  db: Database,
  { at, checked }: DueCheck,
  stop?: AbortSignal,
): Promise<string | null> {
  const isNew = checked !== null && checked.findingsInAll === 0;
  const whole = !isNew || at.getTime() - Date.parse(checked.wholeAt) > WHOLE_EVERY_MS;
  const from = whole ? undefined : new Date(Date.parse(checked.at) - OVERLAP_MS).toISOString();
  const verified = await verifyLedger({ db, from, stop }).catch((error: unknown) => {
    if (stop?.aborted) return null;
    throw error;
  });
  if (verified === null) return "its process was stopped before the end; another begins anew within an hour";
  const { leaves, rows, findings, findingsInAll } = verified;
  const check = {
    at: at.toISOString(),
    whole,
    wholeAt: whole ? at.toISOString() : checked.wholeAt,
    leaves,
    rows,
    findingsInAll,
    findings: findings.slice(0, NAMED_LIMIT),
  };
  step("check of the ledger to be kept");
  await writeCheck.execute(db, { check, alarms: alarmsOf(findings) });
  step("check of the ledger kept");
  return null;
}

function alarmsOf(findings: readonly Finding[]): Alarm[] {
  return [...Map.groupBy(findings, ({ source }) => source)].map(([source, own]) => ({
    name: "ledger_broken",
    source: source === SHARED ? "" : source,
    subject: source,
    detail: `${own.length} ${own.length === 1 ? "finding" : "findings"}; the first: ${own.slice(0, 3).map(findingText).join("; ")}`,
  }));
}
