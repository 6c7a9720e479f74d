import { hostname, uptime } from "node:os";
import { type RawBuilder, sql } from "kysely";
import { ALARM, type Alarm, type Alarms, raiseAlarms, someAreOpen } from "../alarms/alarms.ts";
import { interval } from "../database/expressions.ts";
import { databaseTime } from "../database/server.ts";
import { returned, type Slots, Statement } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import { spanText } from "../kit/time.ts";

/** A clock that moved by so much more or less than the time that passed has stepped, in ms. */
const STEP_MS = 5_000;

/** What clocks say, in ms. */
export interface Clocks {
  /** Goes on evenly, whatever is set: since the machine was started, sleep included. */
  even: number;
  postgres: number;
  own: number;
  /** How long it took to ask Postgres: its time is of some moment in it. */
  tookMs: number;
}

/** By how much each clock was set between two readings, in ms; back is negative, 0 when it was not. Pure. */
export function stepsBetween(before: Clocks, after: Clocks): { postgres: number; own: number } {
  const unsure = STEP_MS + before.tookMs + after.tookMs;
  const stepOf = (clock: "postgres" | "own") => {
    const step = after[clock] - before[clock] - (after.even - before.even);
    return Math.abs(step) > unsure ? step : 0;
  };
  return { postgres: stepOf("postgres"), own: stepOf("own") };
}

const POSTGRES = { name: "clock_stepped", source: "", subject: "postgres" } as const;
const GOES_ON = "Payments go on; until clocks agree, certificates may be refused.";

/** A condition: a process was last seen in the future, so it was seen before the clock was set back. */
export const clockIsBehind: RawBuilder<boolean> = sql`
  exists (select from relay_process where seen_at > clock_timestamp())`;

const selectWasSet = new Statement(
  { wasSet: returned.boolean },
  () => sql`select ${someAreOpen(POSTGRES.name)} as "wasSet"`,
);

/** Whether a clock was set within the last hour. */
export const clockWasSet = async (db: Database): Promise<boolean> =>
  (await selectWasSet.execute(db))[0]?.wasSet === true;

const writeStep = new Statement(
  { raised: returned.json<Alarm[]>() },
  ({ table }: Slots<readonly Alarm[]>) => sql`
    with ahead as (
      select max(seen_at) - clock_timestamp() as by from relay_process),
    moved as (
      update relay_process set seen_at = clock_timestamp() where seen_at > clock_timestamp() returning 1),
    stepped as (
      select alarm.* from ${table("alarm", ALARM, (alarms) => alarms)}
      union all
      select ${POSTGRES.name}, ${POSTGRES.source}, ${POSTGRES.subject},
        format(${`Postgres' clock was set back by %s s or more. ${GOES_ON}`}::text,
          ceil(extract(epoch from by))::text)
      from ahead where by > ${interval(STEP_MS)} and not exists (
        select from ${table("known", ALARM, (alarms) => alarms)} where known.subject = ${POSTGRES.subject})),
    raised as (${raiseAlarms(sql`select * from stepped`)})
    select coalesce((select json_agg(stepped) from stepped), '[]'::json) as raised from (select) as always`,
);

/**
 * Says when a clock was set: Postgres' or this process' own. Nothing rests on it, since moments that no wait
 * explains count as now whether anybody saw the step or not (database/moments.ts).
 */
export class ClockWatch {
  readonly #alarms: Alarms;
  readonly #compares: boolean;
  #last: Clocks | null = null;

  /** @param options.compares false where a process is frozen between two looks, for who knows how long. */
  constructor({ alarms, compares }: { alarms: Alarms; compares: boolean }) {
    this.#alarms = alarms;
    this.#compares = compares;
  }

  /** Looks, by asking for the time if it has something to compare it with. */
  async look(db: Database): Promise<void> {
    await this.#write(db, this.#compares ? this.#compare(await readClocks(db)) : []);
  }

  /**
   * The same with what was read already.
   * @param isBehind `clockIsBehind`
   * @returns whether a clock was set.
   */
  async note(db: Database, clocks: Clocks, isBehind: boolean): Promise<boolean> {
    const seen = this.#compare(clocks);
    const isSet = isBehind || seen.length > 0;
    if (isSet) await this.#write(db, seen);
    return isSet;
  }

  async #write(db: Database, seen: readonly Alarm[]): Promise<void> {
    const [row] = await writeStep.execute(db, seen);
    this.#alarms.notify(row?.raised ?? []);
  }

  #compare(now: Clocks): Alarm[] {
    const { postgres, own } = this.#last === null ? { postgres: 0, own: 0 } : stepsBetween(this.#last, now);
    this.#last = now;
    const host = { ...POSTGRES, subject: hostname() };
    return [
      ...(postgres === 0 ? [] : [{ ...POSTGRES, detail: `Postgres' clock ${wordsFor(postgres)}` }]),
      ...(own === 0 ? [] : [{ ...host, detail: `The clock of the relay's host ${wordsFor(own)}` }]),
    ];
  }
}

const readClocks = async (db: Database): Promise<Clocks> =>
  clocksAt(performance.now(), await databaseTime(db));

/** @param begun `performance.now()` from before Postgres was asked. @param postgres its answer. */
export const clocksAt = (begun: number, postgres: Date): Clocks => ({
  even: uptime() * 1_000,
  postgres: postgres.getTime(),
  own: Date.now(),
  tookMs: performance.now() - begun,
});

const wordsFor = (step: number): string => {
  return `was set ${step < 0 ? "back" : "forward"} by ${spanText(Math.abs(step))}. ${GOES_ON}`;
};
