import { sql } from "kysely";
import {
  ALARM,
  type Alarm,
  type Alarms,
  clearAlarms,
  ENDED_ALARMS,
  noneIsOpen,
  raiseAlarms,
} from "../alarms/alarms.ts";
import { returned, type Slots, Statement } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import { OneByOne } from "../kit/waiting.ts";
import { FLOODED } from "./upstream-kind.ts";

/** How fast the share of unknown ids follows the answers: about the last twenty of them count. */
const WEIGHT = 0.05;

/** Where a flood is over: at the share where one begins, it would begin and end every second. */
const CALM = FLOODED / 2;

/** In this time half of the share is forgotten, in s: a flood is over by time too, not by answers alone. */
const HALF_LIFE_S = 60;

/** A share below this is as good as none. */
const NEARLY_NONE = 0.01;

interface Shift {
  /** The new share is the old one times `keeps`, plus `adds`. */
  keeps: number;
  adds: number;
  alarm: Alarm;
}

/** What is left of the share by now; Postgres refuses numbers that are too small for it. */
const FADED = sql`
  case when unknown_share < 1e-9 then 0 else unknown_share * power(0.5::float8, least(60, greatest(0,
    extract(epoch from clock_timestamp() - unknown_share_at)) / ${sql.lit(HALF_LIFE_S)})::float8) end`;

const shiftWindow = new Statement(
  { after: returned.float, raised: returned.boolean, cleared: returned.boolean },
  ({ value }: Slots<Shift>) => {
    const name = value(({ alarm }) => alarm.name);
    const source = value(({ alarm }) => alarm.source);
    return sql`
      with before as (select unknown_share, ${FADED} as faded from source where name = ${source} for update),
      moved as (
        update source set unknown_share = before.faded * ${value(({ keeps }) => keeps)}::float8
          + ${value(({ adds }) => adds)}::float8, unknown_share_at = clock_timestamp()
        from before
        where name = ${source}
        returning before.unknown_share as before, source.unknown_share as after),
      raised as (${raiseAlarms(sql`
        select ${name} as name, ${source} as source, ${value(({ alarm }) => alarm.subject)} as subject,
          ${value(({ alarm }) => alarm.detail)} as detail from moved
        where before <= ${FLOODED} and after > ${FLOODED}`)} returning xmax = 0 as is_new),
      cleared as (${clearAlarms(sql`
        name = ${name} and source = ${source} and exists (
          select from moved where before > ${CALM} and after <= ${CALM})`)} returning 1)
      select after, exists (select from raised where is_new) as raised,
        exists (select from cleared) as cleared
      from moved`;
  },
);

const floodOf = (source: string): Alarm => ({
  name: "unknown_ids_flooding",
  source,
  subject: source,
  detail:
    "Most ids that callbacks name are unknown to the provider: someone makes them up, or uses " +
    "another account's. They are asked in turns by sender, at UNKNOWN_RATE_PER_SECOND; known ids " +
    "go first.",
});

const raiseFloodsAgain = new Statement(
  { source: returned.text() },
  ({ table, value }: Slots<readonly string[]>) => sql`
    with flooded as (
      select name from source
      where name = any(${value((sources) => sources)}::text[]) and unknown_share > ${FLOODED}
      order by name for update),
    raised as (${raiseAlarms(sql`
      select flood.* from ${table("flood", ALARM, (sources) => sources.map(floodOf))}
      join flooded on flooded.name = flood.source
      where ${noneIsOpen(sql`flood.name`, sql`flood.subject`)}`)} returning source)
    select source from raised`,
);

const updateEndedFloods = new Statement(
  ENDED_ALARMS,
  ({ value }: Slots<readonly string[]>) => sql`
    with over as (
      update source set unknown_share = ${FADED}, unknown_share_at = clock_timestamp()
      where name = any(${value((sources) => sources)}::text[])
        and unknown_share > ${CALM} and ${FADED} <= ${CALM}
      returning name)
    ${clearAlarms(sql`name = 'unknown_ids_flooding' and source in (select over.name from over)`)}
    returning name, source, subject`,
);

/** Ends floods that no answer about an unknown id has kept up: two minutes after a full one. */
export async function endFloods(
  { db, alarms }: { db: Database; alarms: Alarms },
  sources: readonly string[],
): Promise<void> {
  alarms.notifyCleared(await updateEndedFloods.execute(db, sources));
}

/** Raises the alarm of a flood that lasts where none is open: whoever closed it took the source for gone. */
export async function notifyFloodsAgain(
  { db, alarms }: { db: Database; alarms: Alarms },
  sources: readonly string[],
): Promise<void> {
  const told = await raiseFloodsAgain.execute(db, sources);
  alarms.notify(told.map(({ source }) => floodOf(source)));
}

/** How many new ids the provider does not know: past half, the source is flooded, and unknown ids are throttled. */
export class UnknownIds {
  readonly #db: Database;
  readonly #alarms: Alarms;
  readonly #source: string;
  #tally = { found: 0, not_found: 0 };
  // The share as this process knows it; 1 until it has looked, so that its first answer is written.
  #share = 1;
  readonly #writes = new OneByOne();

  constructor({ db, alarms, source }: { db: Database; alarms: Alarms; source: string }) {
    this.#db = db;
    this.#alarms = alarms;
    this.#source = source;
  }

  /** Another process may have seen a flood: the next answer is written, whatever it says. */
  lookAgain(): void {
    this.#share = 1;
  }

  /** Resolves once it is written, if it is news. */
  note(answer: "found" | "not_found"): Promise<void> {
    this.#tally[answer] += 1;
    return this.#writes.run(() => this.#write());
  }

  async #write(): Promise<void> {
    const { found, not_found: missing } = this.#tally;
    if (found + missing === 0) return;
    this.#tally = { found: 0, not_found: 0 };
    if (missing === 0 && this.#share <= NEARLY_NONE) return;
    const keeps = (1 - WEIGHT) ** (found + missing);
    const adds = ((1 - keeps) * missing) / (found + missing);
    const alarm = floodOf(this.#source);
    const [row] = await shiftWindow.execute(this.#db, { keeps, adds, alarm });
    if (row === undefined) return;
    this.#share = row.after;
    if (row.raised) this.#alarms.notify([alarm]);
    if (row.cleared) this.#alarms.notifyCleared([alarm]);
  }
}
