import { type Kysely, sql, type Transaction } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Tables } from "../database/tables.ts";
import { type Allowance, allowanceOf, BREAKER_FAULTS, type Gate, type Limits } from "./allowance.ts";
import type { ClaimedQuestion } from "./question.ts";

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
 * Takes due questions of one source: the known lane first, then the unknown one within its own limit, then
 * replays. Rate, pause and breaker are read and spent under the source's row lock, so that any number of
 * processes keep one limit. The commit need not be durable: a claim lost in a crash is an unclaimed question.
 */
export function claimQuestions(db: Kysely<Tables>, options: ClaimOptions): Promise<Claim> {
  return db.transaction().execute(async (trx) => {
    const gate = await readGate(trx, options.source);
    const allowance = allowanceOf(gate, options.limits, options.wanted);
    const state = {
      moreInMs: allowance.moreInMs,
      faults: gate.faults,
      keyRefused: gate.pausedBy === "key_refused",
    };
    if (allowance.total < 1) return { questions: [], ...state };
    const questions = await take(trx, options, allowance);
    await spend(trx, options, gate, allowance, questions);
    return { questions, ...state };
  });
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

async function take(
  trx: Transaction<Tables>,
  options: ClaimOptions,
  allowance: Allowance,
): Promise<ClaimedQuestion[]> {
  const { source, leaseMs, wantedReplays } = options;
  const due = (lane: string) => sql`
    select invoice_id, source from confirmation
    where source = ${source} and lane = ${lane} and state = 'due' and due_at <= now()
    order by due_at`;
  const { rows } = await sql<Omit<ClaimedQuestion, "known"> & ClaimedColumns>`
    with known_lane as (${due("known")} limit ${allowance.total} for update skip locked),
    unknown_lane as (
      ${due("unknown")} limit least(${allowance.unknown}::bigint, ${allowance.total} - (select count(*) from known_lane)) for update skip locked),
    replay_lane as (
      ${due("replay")} limit least(${wantedReplays}::bigint, ${allowance.total} - (select count(*) from known_lane) - (select count(*) from unknown_lane)) for update skip locked),
    taken as (select * from known_lane union all select * from unknown_lane union all select * from replay_lane),
    claimed as (
      update confirmation as question
      set state = 'claimed', lease_token = ${uuidv7()}, claimed_until = clock_timestamp() + ${leaseMs} * interval '1 ms'
      from taken where question.invoice_id = taken.invoice_id and question.source = taken.source
      returning question.*)
    select claimed.invoice_id as "invoiceId", claimed.source, claimed.lease_token as "leaseToken", claimed.lane, claimed.requests,
      claimed.attempt, claimed.faults, claimed.verdict, claimed.released_at is not null as released, claimed.record_only as "recordOnly", claimed.last_answer is not null as "hasEvidence", clock_timestamp() as "askedAt",
      invoice.status, invoice.modified_at as "modifiedAt", invoice.amount, invoice.total_amount as "totalAmount", invoice.digest
    from claimed left join invoice on invoice.id = claimed.invoice_id`.execute(trx);
  return rows.map(({ status, modifiedAt, amount, totalAmount, digest, ...question }) => ({
    ...question,
    known: status === null || digest === null ? null : { status, modifiedAt, amount, totalAmount, digest },
  }));
}

interface ClaimedColumns {
  status: string | null;
  modifiedAt: Date | null;
  amount: string | null;
  totalAmount: string | null;
  digest: string | null;
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
      opens_at = ${probing ? sql`clock_timestamp() + ${PROBE_MS} * interval '1 ms'` : sql`opens_at`}
    where name = ${source}`.execute(trx);
}
