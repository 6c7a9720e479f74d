import { type Kysely, sql } from "kysely";
import { hasStatus } from "../../confirm/invoices/read-invoices.ts";
import { plainStatuses } from "../../confirm/invoices/status-class.ts";
import type { ConfirmationState, OpenedBy, Verdict } from "../../confirm/queue/confirmation.ts";
import { nullable, returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import type { OutboxState } from "../../publish/event.ts";
import { joiningOutbox, publishedOn, rightTopic, tellsOfPayment } from "../../publish/event.ts";
import type { ReconcileSource } from "../reconcile-source.ts";

/** What the relay knows about an invoice that the list shows as paid. */
export interface KnownPayment {
  invoiceId: string;
  /** `lost`: its event is not queued and was not accepted on the right topic. */
  event: "none" | "lost" | "waiting" | "published";
  outboxState: OutboxState | null;
  /** Whether the confirmed invoice is stored. */
  stored: boolean;
  /** The time of payment in the confirmed answer. */
  paidAt: Date | null;
  /** The time of creation in it. */
  createdAt: Date | null;
  /** The newest confirmed answer says that it is paid. */
  isPaid: boolean;
  /** Of the listed item for which it was last asked about; null when it was for none. */
  askedDigest: string | null;
  /** Its confirmation; null when it has none. */
  confirmation: {
    state: ConfirmationState;
    verdict: Verdict | null;
    openedBy: OpenedBy;
    recordOnly: boolean;
    lastError: string | null;
    /**
     * It will be asked within a minute anyway, before unknown ids; or on its ladder, as the provider has said
     * Paid already and cannot be understood: the list adds nothing to that.
     */
    soon: boolean;
  } | null;
}

interface Given {
  source: ReconcileSource;
  invoiceIds: readonly string[];
}

const COLUMNS = {
  invoiceId: returned.uuid,
  paidAt: nullable(returned.time),
  createdAt: nullable(returned.time),
  event: returned.text<KnownPayment["event"]>(),
  outboxState: nullable(returned.text<OutboxState>()),
  stored: returned.boolean,
  isPaid: returned.boolean,
  askedDigest: nullable(returned.text()),
  confirmation: nullable(returned.json<NonNullable<KnownPayment["confirmation"]>>()),
} as const;

const reading = new Statement(COLUMNS, ({ value }: Slots<Given>) => {
  const name = value(({ source }) => source.name);
  const topic = rightTopic({
    live: value(({ source }) => source.liveTopicArn),
    test: value(({ source }) => source.testTopicArn),
  });
  const isPaid = hasStatus(value(({ source }) => plainStatuses(source.paidStatuses)));
  return sql`
    select given.id as "invoiceId", invoice.paid_at as "paidAt", invoice.created_at as "createdAt",
      case when event.id is null then 'none' when outbox.state is not null or ${topic} is null then 'waiting'
        when ${publishedOn(topic)} then 'published' else 'lost' end as event,
      outbox.state as "outboxState", invoice.id is not null as stored,
      coalesce(${isPaid}, false) as "isPaid", known.listed_digest as "askedDigest",
      case when known.invoice_id is not null then json_build_object(
        'state', known.state, 'verdict', known.verdict,
        'openedBy', known.opened_by, 'recordOnly', known.record_only, 'lastError', known.last_error,
        'soon', known.state in ('due', 'claimed') and known.priority = 'known'
          and (known.due_at <= now() + interval '1 minute'
            or (known.last_error is not null and coalesce(${isPaid}, false)))) end as confirmation
    from unnest(${value(({ invoiceIds }) => invoiceIds)}::uuid[]) as given (id)
    left join event on event.source = ${name} and event.invoice_id = given.id and ${tellsOfPayment}
    ${joiningOutbox}
    left join confirmation as known on known.invoice_id = given.id and known.source = ${name}
    left join invoice on invoice.source = ${name} and invoice.id = given.id`;
});

/** One entry for each id, in any order. */
export const readKnownPayments = (
  db: Kysely<Tables>,
  source: ReconcileSource,
  invoiceIds: readonly string[],
) => reading.execute(db, { source, invoiceIds });
