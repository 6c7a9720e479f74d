import { type Kysely, type RawBuilder, sql } from "kysely";
import { type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { newId } from "../kit/new-id.ts";
import type { ClaimedQuestion } from "./question.ts";

export interface Taking {
  source: string;
  /** The most questions in all. */
  total: number;
  /** The most of them from the unknown lane. */
  unknown: number;
  /** The most of them from the replay lane. */
  replays: number;
  leaseMs: number;
}

type Row = Omit<ClaimedQuestion, "known"> & {
  open: boolean;
  status: string | null;
  modifiedAt: Date | null;
  amount: string | null;
  totalAmount: string | null;
  digest: string | null;
};

/** Claims due questions in one statement: the known lane first, then the unknown one, then replays. */
export class TakeDue {
  readonly #statement: Statement<Taking, Row>;

  /** @param gate yields the source's name, or no row when nothing may be taken. */
  constructor(gate: (source: RawBuilder<unknown>) => RawBuilder<unknown>) {
    this.#statement = new Statement(({ value }) => taking(value, gate(value(({ source }) => source))));
  }

  /** @returns `open`: whether the gate let anything through at all. */
  async from(db: Kysely<Tables>, given: Taking): Promise<{ open: boolean; questions: ClaimedQuestion[] }> {
    const { rows } = await this.#statement.execute(db, given);
    const questions = rows.filter((row) => row.invoiceId !== null);
    return { open: rows[0]?.open === true, questions: questions.map(questionOf) };
  }
}

function taking(value: Slots<Taking>["value"], gate: RawBuilder<unknown>): RawBuilder<Row> {
  const due = (lane: string) => sql`
    select invoice_id, source from confirmation
    where source = (select name from gate) and lane = ${sql.lit(lane)} and state = 'due' and due_at <= now()
    order by due_at`;
  const total = value((given) => given.total);
  const left = sql`${total}::bigint - (select count(*) from known_lane)`;
  const unknown = value((given) => given.unknown);
  const replays = value((given) => given.replays);
  return sql`
    with gate as materialized (${gate}),
    known_lane as (${due("known")} limit ${total} for update skip locked),
    unknown_lane as (${due("unknown")} limit least(${unknown}::bigint, ${left}) for update skip locked),
    replay_lane as (${due("replay")} limit least(${replays}::bigint, ${left} - (select count(*) from unknown_lane)) for update skip locked),
    taken as (select * from known_lane union all select * from unknown_lane union all select * from replay_lane),
    claimed as (
      update confirmation as question
      set state = 'claimed', lease_token = ${value(() => newId())}, claimed_until = clock_timestamp() + ${value(({ leaseMs }) => leaseMs)}::float8 * interval '1 ms'
      from taken where question.invoice_id = taken.invoice_id and question.source = taken.source
      returning question.*)
    select exists (select from gate) as open,
      claimed.invoice_id as "invoiceId", claimed.source, claimed.lease_token as "leaseToken", claimed.lane, claimed.requests,
      claimed.attempt, claimed.faults, claimed.verdict, claimed.released_at is not null as released,
      claimed.erased_at is not null or invoice.erased_at is not null as erased,
      claimed.record_only as "recordOnly", claimed.last_answer is not null as "hasEvidence", clock_timestamp() as "askedAt",
      invoice.status, invoice.modified_at as "modifiedAt", invoice.amount, invoice.total_amount as "totalAmount", invoice.digest
    from (select) as always left join claimed on true left join invoice on invoice.id = claimed.invoice_id and invoice.source = claimed.source`;
}

function questionOf({
  open,
  status,
  modifiedAt,
  amount,
  totalAmount,
  digest,
  ...question
}: Row): ClaimedQuestion {
  const known =
    status === null || digest === null ? null : { status, modifiedAt, amount, totalAmount, digest };
  return { ...question, known };
}
