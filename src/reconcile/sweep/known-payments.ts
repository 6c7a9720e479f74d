import { type Kysely, sql } from "kysely";
import type { ConfirmationState, OpenedBy, Verdict } from "../../confirmations/confirmation.ts";
import type { Tables } from "../../database/tables.ts";
import type { OutboxState } from "../../outbox/event.ts";
import { joiningOutbox, publishedOn, rightTopic } from "../../outbox/event-state.ts";
import type { ReconcileSource } from "../reconcile-source.ts";

/** What the relay knows of an invoice that the list says is paid. */
export interface KnownPayment {
  invoiceId: string;
  /** `lost`: it has its event, which waits nowhere and was not accepted on the right topic. */
  event: "none" | "lost" | "waiting" | "published";
  outboxState: OutboxState | null;
  /** The confirmed invoice is there. */
  stored: boolean;
  /** When the provider said it was paid, by the confirmed answer. */
  paidAt: Date | null;
  /** Its confirmation; null when none was ever opened, or it is gone. */
  confirmation: {
    state: ConfirmationState;
    verdict: Verdict | null;
    openedBy: OpenedBy;
    recordOnly: boolean;
    lastError: string | null;
    /** Asked anyway within the minute, before unknown ids. */
    soon: boolean;
  } | null;
}

/** One entry for each id, in any order. */
export async function readKnownPayments(
  db: Kysely<Tables>,
  { name, liveTopicArn, testTopicArn }: ReconcileSource,
  invoiceIds: readonly string[],
): Promise<KnownPayment[]> {
  const topic = rightTopic({ live: liveTopicArn, test: testTopicArn });
  const { rows } = await sql<KnownPayment>`
    select given.id as "invoiceId", invoice.paid_at as "paidAt",
      case when event.id is null then 'none' when outbox.state is not null or ${topic} is null then 'waiting'
        when ${publishedOn(topic)} then 'published' else 'lost' end as event,
      outbox.state as "outboxState", invoice.id is not null as stored,
      case when known.invoice_id is not null then json_build_object(
        'state', known.state, 'verdict', known.verdict,
        'openedBy', known.opened_by, 'recordOnly', known.record_only, 'lastError', known.last_error,
        'soon', known.state in ('due', 'claimed') and known.priority = 'known'
          and known.due_at <= now() + interval '1 minute') end as confirmation
    from unnest(${invoiceIds}::uuid[]) as given (id)
    left join event on event.source = ${name} and event.invoice_id = given.id and event.type = 'invoice.paid'
    ${joiningOutbox}
    left join confirmation as known on known.invoice_id = given.id and known.source = ${name}
    left join invoice on invoice.source = ${name} and invoice.id = given.id`.execute(db);
  return rows;
}
