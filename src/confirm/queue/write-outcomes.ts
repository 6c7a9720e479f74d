import { type RawBuilder, sql } from "kysely";
import { hasRoom, isNotedVerdict } from "../../alarms/history.ts";
import { boolean, type Columns, float, integer, text, uuid } from "../../database/columns.ts";
import type { ConfirmationKey, Priority, Verdict } from "./confirmation.ts";
import { nextAsk } from "./open.ts";

/** How one confirmation goes on after one answer. */
export interface ConfirmationOutcome extends ConfirmationKey {
  /** Written only while this is still the row's lease (G6). */
  leaseToken: string;
  /** What `requests` was at the claim; a higher count since then means that it is asked again. */
  requests: number;
  state: "due" | "done" | "dead";
  verdict: Verdict | null;
  /** For `due`: when it is asked again, in ms from now. */
  dueInMs: number;
  priority: Priority;
  attempt: number;
  faults: number;
  lastError: string | null;
  /** Evidence of an answer outside the contract. */
  lastAnswer: string | null;
  /** Without new evidence, that of an earlier answer stays: this one was no better. */
  keepsEvidence: boolean;
}

export const OUTCOME: Columns<ConfirmationOutcome> = {
  invoice_id: uuid((outcome) => outcome.invoiceId),
  source: text((outcome) => outcome.source),
  lease_token: uuid((outcome) => outcome.leaseToken),
  requests: integer((outcome) => outcome.requests),
  state: text((outcome) => outcome.state),
  verdict: text((outcome) => outcome.verdict),
  due_in_ms: float((outcome) => outcome.dueInMs),
  priority: text((outcome) => outcome.priority),
  attempt: integer((outcome) => outcome.attempt),
  faults: integer((outcome) => outcome.faults),
  last_error: text((outcome) => outcome.lastError),
  last_answer: text((outcome) => outcome.lastAnswer),
  keeps_evidence: boolean((outcome) => outcome.keepsEvidence),
};

/**
 * Those rows of `answer` whose lease still holds, locked, in invoice order. Two of one batch may be about one
 * row, an old worker's and a new one's; they never both hold its lease. Only a claimed row has a lease token
 * (confirmation_lease_check); asking for the state as well would lead Postgres to the index of claimed rows,
 * where it meets all that were claimed since the last vacuum.
 */
export const holding: RawBuilder<unknown> = sql`
  select answer.*, known.erased_at, known.requested_at, known.callback_id,
    known.settled_at as settled_before, known.verdict as verdict_before
  from confirmation as known
  join answer on answer.invoice_id = known.invoice_id and answer.source = known.source
    and answer.lease_token = known.lease_token
  order by known.invoice_id, known.source
  for update of known`;

/**
 * Writes the outcomes in `held`. A request that came while the provider was being asked is not covered by the
 * answer: it is asked again.
 */
export const writingOutcomes: RawBuilder<unknown> = sql`
  update confirmation as known set
    state = case when known.requests > held.requests then 'due' else held.state end,
    due_at = case when known.requests > held.requests then ${nextAsk}
      else clock_timestamp() + held.due_in_ms * interval '1 ms' end,
    attempt = case when known.requests > held.requests then 0 else held.attempt end,
    settled_at = case when held.state = 'due' then known.settled_at else clock_timestamp() end,
    lease_token = null, claimed_until = null,
    verdict = held.verdict, priority = held.priority, faults = held.faults,
    last_error = held.last_error,
    last_answer = coalesce(held.last_answer, case when held.keeps_evidence then known.last_answer end)
  from held
  where known.invoice_id = held.invoice_id and known.source = held.source
  returning 1`;

/**
 * What the history keeps because the rows in `held` will lose it: that an ask gave no usable answer, and a
 * verdict that a new one replaces. The error of one that is done is no failed ask, but the reason for its
 * quarantine.
 */
export const passing: RawBuilder<unknown> = sql`
  select invoice_id, source, clock_timestamp() as at, 'ask_failed' as kind, last_error as detail
  from held where last_error is not null and state <> 'done'
    and ${hasRoom(sql`held.invoice_id`, "ask_failed")}
  union all
  select invoice_id, source, settled_before, 'verdict', verdict_before
  from held where settled_before is not null and verdict_before is not null and state <> 'due'
    and not ${isNotedVerdict(sql`held.invoice_id`, sql`held.source`, sql`held.verdict_before`)}`;
