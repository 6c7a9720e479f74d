import { sql } from "kysely";
import { ALARM, type Alarm, type Alarms, raiseLasting } from "../alarms/index.ts";
import { type Database, returned, type Slots, Statement } from "../database/index.ts";
import { Turns } from "../process/index.ts";
import { ANSWERS_KEPT, someWereNotFoundLately, sourceIsFlooded } from "./upstream-kind.ts";

const NOT_FOUND = "1";

/** While a flood lasts its alarm is touched this often at most, in ms; without that it closes by itself. */
const TOUCH_EVERY_MS = 10_000;

interface Answers {
  /** The oldest first: 1 for "not found", else 0. */
  answers: string;
  alarm: Alarm;
}

const floodOf = (source: string): Alarm => ({
  name: "unknown_ids_flooding",
  source,
  subject: source,
  detail:
    "Most ids that callbacks name are unknown to the provider: someone makes them up, or uses another account's. " +
    "They are asked about at UNKNOWN_RATE_PER_SECOND; known ids go first.",
});

const noteAnswers = new Statement(
  { isFlooded: returned.boolean, isNew: returned.boolean },
  ({ value, table }: Slots<Answers>) => {
    const answers = sql`${value((given) => given.answers)}::text`;
    const holdsNotFound = sql`${answers} like ${sql.lit(`%${NOT_FOUND}%`)}`;
    return sql`
      with noted as (
        update source set
          unknown_answers = right(
            case when ${someWereNotFoundLately} then unknown_answers::text else ${sql.lit("0".repeat(ANSWERS_KEPT))} end
              || ${answers}, ${sql.lit(ANSWERS_KEPT)})::bit(100),
          not_found_at = case when ${holdsNotFound} then clock_timestamp() else not_found_at end
        where name = ${value(({ alarm }) => alarm.source)}
        returning ${sourceIsFlooded} as is_flooded),
      raised as (${raiseLasting(
        sql`select alarm.* from ${table("alarm", ALARM, ({ alarm }) => [alarm])}
          where ${holdsNotFound} and (select is_flooded from noted)`,
        TOUCH_EVERY_MS,
      )} returning xmax = 0 as is_new)
      select is_flooded as "isFlooded", exists (select from raised where is_new) as "isNew" from noted`;
  },
);

/**
 * The last answers about unknown ids, of all processes together. A "not found" is written at once, what was found
 * before it with it: in calm times an id that is found costs no write.
 */
export class UnknownIds {
  readonly #db: Database;
  readonly #alarms: Alarms;
  readonly #alarm: Alarm;
  #unwritten = "";
  // Assumed until the first answer, so that this is written in any case.
  #isFlooded = true;
  readonly #writes = new Turns(1);

  constructor({ db, alarms, source }: { db: Database; alarms: Alarms; source: string }) {
    this.#db = db;
    this.#alarms = alarms;
    this.#alarm = floodOf(source);
  }

  /** Each claim says whether the source is flooded. */
  saw(isFlooded: boolean): void {
    this.#isFlooded = isFlooded;
  }

  /** Resolves once it is written, if it is news. */
  note(answer: "found" | "not_found"): Promise<void> {
    this.#unwritten = (this.#unwritten + (answer === "not_found" ? NOT_FOUND : "0")).slice(-ANSWERS_KEPT);
    return this.#writes.run(() => this.#write());
  }

  async #write(): Promise<void> {
    const answers = this.#unwritten;
    if (answers === "" || !(this.#isFlooded || answers.includes(NOT_FOUND))) return;
    this.#unwritten = "";
    const [row] = await noteAnswers.execute(this.#db, { answers, alarm: this.#alarm });
    if (row === undefined) return;
    this.#isFlooded = row.isFlooded;
    if (row.isNew) this.#alarms.notify([this.#alarm]);
  }
}
