import { type Kysely, sql, type Transaction } from "kysely";
import { sourceIsOpen } from "../database/source-is-open.ts";
import type { Tables } from "../database/tables.ts";
import { type Allowance, allowanceOf, BREAKER_FAULTS, type Gate, type Limits } from "./allowance.ts";
import type { ClaimedQuestion } from "./question.ts";
import { TakeDue } from "./take-due.ts";

export interface ClaimOptions {
  source: string;
  limits: Limits;
  /** The most questions to take. */
  wanted: number;
  /** The most of them from the replay lane, which uses what live traffic leaves. */
  wantedReplays: number;
  leaseMs: number;
}

export interface Claim {
  questions: ClaimedQuestion[];
  /** When there may be more although none is due to be taken now, in ms; null when only new work would change it. */
  moreInMs: number | null;
  /** The source's faults in a row, all processes counted. */
  faults: number;
  /** Its key was refused: someone has to probe it. */
  keyRefused: boolean;
}

/** While one question tries whether a broken source works again, the others wait this long for it. */
const PROBE_MS = 10_000;

/**
 * Takes due questions of one source. A source that is well and has no limit needs one statement; any other is
 * read and spent under its row's lock, so that any number of processes keep one limit. The commit need not be
 * durable: a claim lost in a crash is an unclaimed question.
 */
export async function claimQuestions(db: Kysely<Tables>, options: ClaimOptions): Promise<Claim> {
  if (options.limits.ratePerSecond === null) {
    const { source, wanted, wantedReplays, leaseMs } = options;
    const taken = await WIDE_OPEN.from(db, {
      source,
      total: wanted,
      unknown: wanted,
      replays: wantedReplays,
      leaseMs,
    });
    if (taken.open) return { questions: taken.questions, moreInMs: null, faults: 0, keyRefused: false };
  }
  return await db.transaction().execute((trx) => claimUnderLock(trx, options));
}

// A few faults short of the breaker restrict nothing; whoever has them in mind clears them by its next answer.
const WIDE_OPEN = new TakeDue(
  (source) => sql`
    select name from source
    where name = ${source} and ${sourceIsOpen} and set_config('synchronous_commit', 'off', true) is not null`,
);

/** For whoever holds the source's row and has read what may be taken. */
const ALLOWED = new TakeDue((source) => sql`select ${source}::text as name`);

async function claimUnderLock(trx: Transaction<Tables>, options: ClaimOptions): Promise<Claim> {
  const gate = await readGate(trx, options.source);
  const allowance = allowanceOf(gate, options.limits, options.wanted);
  const state = {
    moreInMs: allowance.moreInMs,
    faults: gate.faults,
    keyRefused: gate.pausedBy === "key_refused",
  };
  if (allowance.total < 1) return { questions: [], ...state };
  const { total, unknown } = allowance;
  const { questions } = await ALLOWED.from(trx, {
    source: options.source,
    total,
    unknown,
    replays: options.wantedReplays,
    leaseMs: options.leaseMs,
  });
  await spend(trx, options, gate, allowance, questions);
  return { questions, ...state };
}

async function readGate(trx: Transaction<Tables>, source: string): Promise<Gate> {
  const { rows } = await sql<Gate>`
    select set_config('synchronous_commit', 'off', true), paused_by as "pausedBy", faults, allowance,
      unknown_allowance as "unknownAllowance", unknown_share as "unknownShare",
      case when opens_at = '-infinity' then 0 else extract(epoch from opens_at - clock_timestamp()) * 1000 end::float8 as "opensInMs",
      (extract(epoch from clock_timestamp() - allowance_at) * 1000)::float8 as "allowanceAgeMs",
      (extract(epoch from clock_timestamp() - unknown_allowance_at) * 1000)::float8 as "unknownAllowanceAgeMs"
    from source where name = ${source} for update`.execute(trx);
  const [gate] = rows;
  if (gate === undefined) throw new Error(`The source "${source}" has no row: it is made when serve starts`);
  return gate;
}

async function spend(
  trx: Transaction<Tables>,
  { source, limits }: ClaimOptions,
  gate: Gate,
  allowance: Allowance,
  questions: readonly ClaimedQuestion[],
): Promise<void> {
  if (questions.length === 0) return;
  const limited = limits.ratePerSecond !== null;
  const throttled = allowance.unknown < allowance.total;
  const probing = gate.faults >= BREAKER_FAULTS;
  if (!limited && !throttled && !probing) return;
  const unknown = questions.filter((question) => question.lane === "unknown").length;
  await sql`
    update source set
      allowance = ${allowance.bucket - (limited ? questions.length : 0)}, allowance_at = clock_timestamp(),
      unknown_allowance = ${allowance.unknownBucket - (throttled ? unknown : 0)},
      unknown_allowance_at = clock_timestamp(),
      opens_at = ${probing ? sql`clock_timestamp() + ${PROBE_MS}::float8 * interval '1 ms'` : sql`opens_at`}
    where name = ${source}`.execute(trx);
}
