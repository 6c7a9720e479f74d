import { sql } from "kysely";
import {
  type Database,
  nullable,
  type RowOf,
  returned,
  type Slots,
  Statement,
} from "../../../platform/database/index.ts";
import { type ConfirmationState, hasStatus, plainStatuses, type Verdict } from "../../confirm/index.ts";
import { isEventOf, joinOutbox, publishedOn, rightTopic } from "../../publish/index.ts";
import type { ReconcileSource } from "../reconcile-source.ts";

interface PaymentsQuery {
  source: ReconcileSource;
  invoiceIds: readonly string[];
}

interface KnownConfirmation {
  state: ConfirmationState;
  verdict: Verdict | null;
  recordOnly: boolean;
  /**
   * It will be asked within a minute anyway, before unknown ids; or on its retry schedule, as the provider has said
   * Paid already and cannot be understood: the list adds nothing to that.
   */
  soon: boolean;
}

const COLUMNS = {
  invoiceId: returned.uuid,
  paidAt: nullable(returned.time),
  createdAt: nullable(returned.time),
  /** `lost`: its event is not queued and was not accepted on the right topic. */
  event: returned.text<"none" | "lost" | "waiting" | "published">(),
  /** Whether the confirmed invoice is stored. */
  stored: returned.boolean,
  /** The newest confirmed answer says that it is paid. */
  isPaid: returned.boolean,
  /** Of the listed item for which it was last asked about; null without one. */
  askedDigest: nullable(returned.text()),
  /** null without one. */
  confirmation: nullable(returned.json<KnownConfirmation>()),
} as const;

export type KnownPayment = RowOf<typeof COLUMNS>;

const selectKnown = new Statement(COLUMNS, ({ value }: Slots<PaymentsQuery>) => {
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
      invoice.id is not null as stored,
      coalesce(${isPaid}, false) as "isPaid", known.listed_digest as "askedDigest",
      case when known.invoice_id is not null then json_build_object(
        'state', known.state, 'verdict', known.verdict,
        'recordOnly', known.record_only,
        'soon', known.state in ('due', 'claimed') and known.priority = 'known'
          and (known.due_at <= now() + interval '1 minute'
            or (known.last_error is not null and coalesce(${isPaid}, false)))) end as confirmation
    from unnest(${value(({ invoiceIds }) => invoiceIds)}::uuid[]) as given (id)
    left join event on event.source = ${name} and ${isEventOf(sql`given.id`)}
    ${joinOutbox}
    left join confirmation as known on known.invoice_id = given.id and known.source = ${name}
    left join invoice on invoice.source = ${name} and invoice.id = given.id`;
});

export const readKnownPayments = (db: Database, source: ReconcileSource, invoiceIds: readonly string[]) =>
  selectKnown.execute(db, { source, invoiceIds });
