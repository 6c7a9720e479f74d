import { sql } from "kysely";
import { ALARM, type Alarm, type Alarms, raiseLasting } from "../alarms/index.ts";
import { type Database, returned, type Slots, Statement } from "../database/index.ts";
import { Turns } from "../process/index.ts";
import type { VersionedUpstream } from "./change.ts";
import { stateOf, type UpstreamPolicy } from "./machine.ts";
import { ANSWERS_KEPT, someWereNotFoundLately, sourceIsFlooded } from "./upstream-kind.ts";

/** What a source's rate limits leave; times in ms, by Postgres' clock. */
export interface Buckets {
  allowance: number;
  allowanceAgeMs: number;
  /** Most unknown ids prove unknown. */
  isFlooded: boolean;
  /** How long until some of them may be asked about in a flood. */
  nextUnknownInMs: number;
}

export interface Limits {
  /** The most confirmations a second to this source; null for no limit. */
  ratePerSecond: number | null;
  /** The same for unknown ids, while most of them prove unknown. */
  unknownRatePerSecond: number;
}

interface Admission {
  total: number;
  /** One exchange tries whether the upstream works again; the others wait for it. */
  trial: boolean;
  /** When there may be more, in ms; null when nothing but the work itself, or a person, is the limit. */
  moreInMs: number | null;
}

/** The same for a source, whose rate is limited. */
export interface Allowance extends Admission {
  /** Of these about unknown ids. */
  unknown: number;
  /** How long each of those keeps the next one waiting, in ms. */
  unknownGapMs: number;
  /** What is left in the bucket before anything is taken. */
  bucket: number;
}

/** Whether the upstream takes anything now, and how much of `wanted`. Pure. */
export function admissionTo(upstream: VersionedUpstream, policy: UpstreamPolicy, wanted: number): Admission {
  const closed = (moreInMs: number | null): Admission => ({ total: 0, trial: false, moreInMs });
  const trial: Admission = { total: Math.min(1, wanted), trial: true, moreInMs: null };
  return {
    paused: closed(null),
    refused: upstream.probeInMs > 0 ? closed(upstream.probeInMs) : trial,
    backing_off: closed(upstream.opensInMs),
    half_open: trial,
    closed: { total: wanted, trial: false, moreInMs: null },
  }[stateOf(upstream, policy)];
}

/** A bucket holds a fifth of a second's worth, so that hardly any second exceeds the limit. */
const bucketSize = (ratePerSecond: number) => Math.max(1, ratePerSecond / 5);

/** Circuit breaker, token bucket and pace of unknown ids: how much of `wanted` this source may be asked now. Pure. */
export function allowanceOf(
  source: VersionedUpstream & Buckets,
  policy: UpstreamPolicy,
  limits: Limits,
  wanted: number,
): Allowance {
  const admission = admissionTo(source, policy, wanted);
  const { ratePerSecond, unknownRatePerSecond } = limits;
  const unknownGapMs = source.isFlooded ? 1_000 / unknownRatePerSecond : 0;
  // A refused key is tried with an id that nobody has, never with a payment.
  if (admission.total === 0 || source.pausedBy !== null)
    return { ...admission, total: 0, trial: false, unknown: 0, unknownGapMs, bucket: source.allowance };
  const bucket = ratePerSecond === null ? source.allowance : refilled(source, ratePerSecond);
  const total = Math.min(admission.total, ratePerSecond === null ? wanted : Math.floor(bucket));
  const inFlood = source.nextUnknownInMs > 0 ? 0 : Math.floor(bucketSize(unknownRatePerSecond));
  const unknown = source.isFlooded ? Math.min(wanted, inFlood) : wanted;
  const waits = [
    total < wanted && ratePerSecond !== null ? 1_000 / ratePerSecond : null,
    unknown < wanted ? Math.max(source.nextUnknownInMs, unknown * unknownGapMs) : null,
  ].filter((wait) => wait !== null);
  return {
    total,
    trial: admission.trial,
    unknown: Math.min(unknown, total),
    unknownGapMs,
    bucket,
    moreInMs: waits.length > 0 ? Math.max(20, Math.min(...waits)) : null,
  };
}

const refilled = ({ allowance, allowanceAgeMs }: Buckets, ratePerSecond: number): number =>
  Math.min(bucketSize(ratePerSecond), allowance + (Math.max(0, allowanceAgeMs) / 1_000) * ratePerSecond);

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
  // As far as this process knows: its first answer is written, whatever it says.
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
