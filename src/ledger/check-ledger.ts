import { sql } from "kysely";
import { ALARM, type Alarm, clearAlarms, raiseAlarms } from "../alarms/alarms.ts";
import { interval, isTooFarAhead } from "../database/expressions.ts";
import { type ResultOf, returned, type Slots, Statement } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import { step } from "../kit/step.ts";
import { DAY_MS } from "../kit/time.ts";
import { findingText } from "./finding-text.ts";
import type { Finding, LastCheck } from "./findings.ts";
import { SHARED } from "./kinds.ts";
import { type Progress, verifyLedger } from "./verify.ts";

/** How often everything is read, and not only what is new. */
const WHOLE_EVERY_MS = 30 * DAY_MS;

/** What is new overlaps with what was new the last time. */
const OVERLAP_MS = 3_600_000;

const NAMED_LIMIT = 20;

/** A check that was stopped before its end, and what it had found by then. */
interface Unfinished extends Progress {
  at: string;
  whole: boolean;
}

/** The last check that came to its end, if any did, and one since then that has not. */
type Checked = Partial<LastCheck> & { unfinished?: Unfinished };

const lastOf = ({ unfinished: _, ...last }: Checked) => ("at" in last ? (last as LastCheck) : null);

export async function readLastCheck(db: Database): Promise<LastCheck | null> {
  const row = await db.selectFrom("ledger").select("checked").where("source", "=", SHARED).executeTakeFirst();
  return lastOf((row?.checked as Checked | null | undefined) ?? {});
}

// While the first reading goes on, most rows have no leaf yet: there is little to check, and much to read.
const takeCheck = new Statement(
  { at: returned.time, checked: returned.json<Checked | null>() },
  () => sql`
    update ledger set check_at = clock_timestamp() + interval '1 hour'
    where source = ${SHARED} and (check_at <= clock_timestamp() or ${isTooFarAhead(sql`check_at`, interval(DAY_MS))})
      and reading is not null and (reading->>'low' is not null or reading->>'place' is null)
    returning clock_timestamp() as at, checked`,
);

/** A check that is due, and what is known of those before it. */
export type DueCheck = ResultOf<typeof takeCheck>;

/** Takes the check that is due, if one is; whoever dies over it leaves it to others in an hour. */
export async function takeDueCheck(db: Database): Promise<DueCheck | null> {
  const [due] = await takeCheck.execute(db);
  return due ?? null;
}

interface Writing {
  checked: Checked;
  alarms: readonly Alarm[];
  /** Everything was read, and nothing found. */
  isRight: boolean;
  /** It is nobody's turn until then: an interval of Postgres. */
  nextIn: string;
}

const writeCheck = new Statement(
  {},
  ({ value, table }: Slots<Writing>) => sql`
    with raised as (${raiseAlarms(sql`select alarm.* from ${table("alarm", ALARM, ({ alarms }) => alarms)}`)}),
    cleared as (${clearAlarms(sql`name = 'ledger_broken' and ${value(({ isRight }) => isRight)}::boolean`)})
    update ledger set checked = ${value(({ checked }) => JSON.stringify(checked))}::json,
      check_at = clock_timestamp() + ${value(({ nextIn }) => nextIn)}::interval
    where source = ${SHARED}`,
);

const giveBack = new Statement(
  {},
  () => sql`update ledger set check_at = clock_timestamp() where source = ${SHARED}`,
);

/**
 * Verifies what is new, once a month and after a finding everything, and says so (G13). One that is stopped, or dies,
 * goes on where it was: what is changed behind that is found by the next check of everything, as what is changed behind
 * its end.
 * @returns why it came to nothing; null when it came further, or to its end.
 */
export async function checkLedger(
  db: Database,
  { at, checked }: DueCheck,
  stop?: AbortSignal,
): Promise<string | null> {
  const last = lastOf(checked ?? {});
  const begun = checked?.unfinished ?? null;
  const isNew = last !== null && last.findingsInAll === 0;
  const { at: madeAt, whole } = begun ?? {
    at: at.toISOString(),
    // One made while Postgres' clock was ahead says nothing of what came since.
    whole:
      !isNew ||
      Date.parse(last.at) > at.getTime() ||
      at.getTime() - Date.parse(last.wholeAt) > WHOLE_EVERY_MS,
  };
  const from = whole || last === null ? undefined : new Date(Date.parse(last.at) - OVERLAP_MS).toISOString();
  let told = begun?.report.findingsInAll ?? 0;
  let cameFurther = false;
  const onRange = async (reached: Progress) => {
    cameFurther = true;
    const { findings, findingsInAll } = reached.report;
    const alarms = findingsInAll > told ? alarmsOf(findings) : [];
    told = findingsInAll;
    const unfinished = { at: madeAt, whole, ...reached };
    await writeCheck.execute(db, {
      checked: { ...last, unfinished },
      alarms,
      isRight: false,
      nextIn: "1 hour",
    });
  };
  const verified = await verifyLedger({ db, from, stop, begun, onRange }).catch((error: unknown) => {
    if (stop?.aborted && error === stop.reason) return null;
    throw error;
  });
  if (verified === null) {
    if (!cameFurther) return "its process was stopped before it came further; another tries within an hour";
    await giveBack.execute(db);
    return null;
  }
  const { leaves, rows, findings, findingsInAll } = verified;
  const check: LastCheck = {
    at: madeAt,
    whole,
    wholeAt: whole || last === null ? madeAt : last.wholeAt,
    leaves,
    rows,
    findingsInAll,
    findings: findings.slice(0, NAMED_LIMIT),
  };
  const isRight = whole && findingsInAll === 0;
  step("check of the ledger to be kept");
  await writeCheck.execute(db, { checked: check, alarms: alarmsOf(findings), isRight, nextIn: "1 day" });
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
