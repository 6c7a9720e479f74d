import { type Kysely, sql } from "kysely";
import type { OpenedBy, Tables, Verdict } from "../database/tables.ts";

/** What the relay knows of an invoice that the list says is paid. */
export interface KnownPayment {
  invoiceId: string;
  hasEvent: boolean;
  /** When the provider said it was paid, by the confirmed answer. */
  paidAt: Date | null;
  /** Its question; null when none was ever opened. */
  question: {
    state: "due" | "claimed" | "done" | "dead";
    verdict: Verdict | null;
    openedBy: OpenedBy;
    recordOnly: boolean;
    /** Asked anyway within the minute, in the known lane. */
    soon: boolean;
  } | null;
}

/** One entry for each id, in any order. */
export async function readKnownPayments(
  db: Kysely<Tables>,
  source: string,
  invoiceIds: readonly string[],
): Promise<KnownPayment[]> {
  const { rows } = await sql<KnownPayment>`
    select given.id as "invoiceId", event.id is not null as "hasEvent", invoice.paid_at as "paidAt",
      case when question.invoice_id is not null then json_build_object(
        'state', question.state, 'verdict', question.verdict, 'openedBy', question.opened_by, 'recordOnly', question.record_only,
        'soon', question.state in ('due', 'claimed') and question.lane = 'known' and question.due_at <= now() + interval '1 minute') end as question
    from unnest(${invoiceIds}::uuid[]) as given (id)
    left join event on event.invoice_id = given.id and event.type = 'invoice.paid'
    left join confirmation as question on question.invoice_id = given.id and question.source = ${source}
    left join invoice on invoice.id = given.id and invoice.source = ${source}`.execute(db);
  return rows;
}
