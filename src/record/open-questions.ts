import { type Kysely, type RawBuilder, sql } from "kysely";
import { type Columns, tableOf, text, uuid } from "../database/columns.ts";
import type { Lane, OpenedBy, Tables } from "../database/tables.ts";

/** Ask the provider about this invoice, with this source's key. */
export interface Question {
  invoiceId: string;
  source: string;
}

export interface OpeningOptions {
  openedBy: OpenedBy;
  lane: Lane;
  /** Record what the provider answers and publish nothing; any later opening without it takes it back. */
  recordOnly?: boolean;
  /** How a new question comes into being; due when left out. */
  born?: Born;
}

/** Expressions over `asked`: the columns of a new question's state. */
export interface Born {
  state: RawBuilder<unknown>;
  leaseToken: RawBuilder<unknown>;
  claimedUntil: RawBuilder<unknown>;
}

const DUE: Born = { state: sql`'due'`, leaseToken: sql`null::uuid`, claimedUntil: sql`null::timestamptz` };

export const QUESTION: Columns<Question> = {
  invoice_id: uuid((question) => question.invoiceId),
  source: text((question) => question.source),
};

export const distinctQuestions = (questions: readonly Question[]): Question[] => [
  ...new Map(questions.map((question) => [`${question.invoiceId} ${question.source}`, question])).values(),
];

/**
 * The one statement that opens questions. Those for one invoice coalesce in its row; what comes while the
 * provider is being asked is counted in `requests` and asked again afterwards (G6), and the ladder starts anew.
 * Rows are locked in invoice order, so that statements side by side cannot deadlock.
 * @param asked a table `asked` of distinct questions.
 */
export function openingStatement(
  asked: RawBuilder<unknown>,
  { openedBy, lane, recordOnly = false, born = DUE }: OpeningOptions,
): RawBuilder<unknown> {
  return sql`
    insert into confirmation as known
      (invoice_id, source, lane, record_only, opened_by, opened_at, requested_at, due_at, state, lease_token, claimed_until)
    select asked.invoice_id, asked.source, ${lane}, ${recordOnly}::boolean, ${openedBy}, clock_timestamp(), clock_timestamp(), clock_timestamp(),
      ${born.state}, ${born.leaseToken}, ${born.claimedUntil}
    from ${asked}
    order by asked.invoice_id, asked.source
    on conflict (invoice_id, source) do update set
      requests = known.requests + 1,
      attempt = 0,
      record_only = known.record_only and excluded.record_only,
      requested_at = clock_timestamp(),
      due_at = case known.state when 'claimed' then known.due_at else clock_timestamp() end,
      state = case known.state when 'claimed' then 'claimed' else 'due' end,
      lane = case
        when excluded.lane = 'known' then 'known'
        when excluded.lane = 'replay' then case when known.state in ('due', 'claimed') then known.lane else 'replay' end
        when known.lane = 'replay' and known.verdict is distinct from 'unknown_invoice' then 'known'
        when known.lane = 'replay' then 'unknown'
        else known.lane
      end`;
}

/** Opens the questions; whoever calls it wakes the workers after the commit. */
export async function openQuestions(
  db: Kysely<Tables>,
  questions: readonly Question[],
  options: OpeningOptions,
): Promise<void> {
  if (questions.length === 0) return;
  await openingStatement(tableOf("asked", QUESTION, distinctQuestions(questions)), options).execute(db);
}
