import type { ColumnType, Generated } from "kysely";

/** Written once, or left to the column's default. */
type Once<T> = ColumnType<T, T | undefined, never>;

export interface CallbackTable {
  id: string;
  received_at: Date;
  erased_at: Date | null;
  source: string;
  method: string;
  path: string;
  query: string;
  reference: string | null;
  remote_address: string | null;
  found_by: string | null;
  /** null when it names invoices: then its verdict is the best of theirs. */
  verdict: "unreadable" | "ping" | "refused" | null;
  invoice_ids: string[];
  headers: [name: string, value: string][];
  body: Buffer;
}

export type Verdict = "pending" | "paid" | "quarantined" | "invalidated" | "not_paid" | "unknown_invoice";
export type Lane = "known" | "unknown" | "replay";
export type OpenedBy = "callback" | "reconcile" | "replay" | "operator";

export interface ConfirmationTable {
  invoice_id: string;
  lease_token: string | null;
  opened_at: Date;
  requested_at: Date;
  due_at: Date;
  claimed_until: Date | null;
  settled_at: Date | null;
  released_at: Date | null;
  requests: Generated<number>;
  attempt: Generated<number>;
  faults: Generated<number>;
  source: string;
  lane: Generated<Lane>;
  state: Generated<"due" | "claimed" | "done" | "dead">;
  opened_by: OpenedBy;
  verdict: Verdict | null;
  last_error: string | null;
  last_answer: string | null;
}

export interface InvoiceTable {
  id: string;
  created_at: Date | null;
  modified_at: Date | null;
  paid_at: Date | null;
  asked_at: Date;
  confirmed_at: Date;
  erased_at: Date | null;
  amount: string | null;
  service_charge: string | null;
  vat: string | null;
  total_amount: string | null;
  settleable_amount: string | null;
  source: string;
  status: string;
  type: string | null;
  collection_name: string | null;
  title: string | null;
  reference: string | null;
  payment_method: string | null;
  service_fee_payer: string | null;
  digest: string;
  document: unknown;
}

export interface InvoiceSnapshotTable {
  id: Once<number>;
  invoice_id: string;
  asked_at: Date;
  recorded_at: Generated<Date>;
  erased_at: Date | null;
  source: string;
  status: string;
  digest: string;
  document: unknown;
}

export interface EventTable {
  id: string;
  invoice_id: string;
  lease_token: string | null;
  created_at: Generated<Date>;
  due_at: Generated<Date>;
  claimed_until: Date | null;
  published_at: Date | null;
  attempt: Generated<number>;
  type: string;
  source: string;
  invoice_type: string;
  collection_name: string | null;
  state: Generated<"due" | "claimed" | "held" | "published" | "dead">;
  last_error: string | null;
  payload: string;
}

export interface PublicationTable {
  id: Once<number>;
  event_id: string;
  published_at: Generated<Date>;
  replay_id: string | null;
  topic_arn: string;
  message_id: string;
}

export interface SourceTable {
  name: string;
  first_served_at: Date | null;
  opens_at: Generated<Date>;
  paused_at: Date | null;
  probe_at: Date | null;
  allowance_at: Generated<Date>;
  unknown_allowance_at: Generated<Date>;
  allowance: Generated<number>;
  unknown_allowance: Generated<number>;
  unknown_share: Generated<number>;
  faults: Generated<number>;
  paused_by: "operator" | "key_refused" | null;
  last_error: string | null;
}

export interface TopicTable {
  arn: string;
  opens_at: Generated<Date>;
  paused_at: Date | null;
  faults: Generated<number>;
  paused_by: "operator" | "refused" | null;
  last_error: string | null;
}

export interface AlarmTable {
  id: Once<number>;
  raised_at: Generated<Date>;
  last_raised_at: Generated<Date>;
  cleared_at: Date | null;
  times: Generated<number>;
  name: string;
  source: string;
  subject: string;
  detail: string;
}

/** The relay's tables, as `migrations/relay` makes them. */
export interface Tables {
  callback: CallbackTable;
  confirmation: ConfirmationTable;
  invoice: InvoiceTable;
  invoice_snapshot: InvoiceSnapshotTable;
  event: EventTable;
  publication: PublicationTable;
  source: SourceTable;
  topic: TopicTable;
  alarm: AlarmTable;
}
