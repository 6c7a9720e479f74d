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
  /** What the row does not hold of its callback: null for nearly all. `CallbackCut` of src/record says more. */
  cut: { overBudget: string | null; body: { bytes: number; sha256: string } | null; unread: string[] } | null;
  invoice_ids: string[];
  headers: [name: string, value: string][];
  body: Buffer;
  /** SHA-256 of what stood in `body` before it was erased, in hex. */
  erased_digest: string | null;
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
  /** It is recorded and not published, until something else asks for it. */
  record_only: Generated<boolean>;
  source: string;
  lane: Generated<Lane>;
  state: Generated<"due" | "claimed" | "done" | "dead">;
  opened_by: OpenedBy;
  verdict: Verdict | null;
  last_error: string | null;
  last_answer: string | null;
  dismissed_at: Date | null;
  erased_at: Date | null;
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
  dismissed_at: Date | null;
  erased_at: Date | null;
  /** SHA-256 of the payload before it was erased, in hex. */
  erased_digest: string | null;
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
  scout_at: Generated<Date>;
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

export type ReplayKind = "confirmations" | "callbacks" | "events";
export type ReplayState = "running" | "done" | "failed" | "cancelled";

export interface ReplayTable {
  id: string;
  lease_token: string | null;
  requested_at: Generated<Date>;
  started_at: Date | null;
  finished_at: Date | null;
  claimed_until: Date | null;
  rate: number;
  matching: number;
  handled: Generated<number>;
  opened: Generated<number>;
  sent: Generated<number>;
  refused: Generated<number>;
  kind: ReplayKind;
  state: Generated<ReplayState>;
  requested_by: string;
  waits_for: string | null;
  last_error: string | null;
  filters: unknown;
  target: unknown;
  position: unknown;
}

export interface ReplayRefusalTable {
  replay_id: string;
  event_id: string;
  refused_at: Generated<Date>;
  error: string;
}

export interface CallbackReadingTable {
  callback_id: string;
  replay_id: string;
  received_at: Date;
  read_at: Generated<Date>;
  source: string;
  found_by: string;
  invoice_ids: string[];
}

export interface AuditEntryTable {
  id: Once<number>;
  at: Generated<Date>;
  invoice_id: string | null;
  actor: string;
  action: string;
  subject: string;
  detail: unknown;
}

export interface SweepTable {
  id: string;
  collection_id: string;
  lease_token: string | null;
  due_at: Generated<Date>;
  claimed_until: Date | null;
  started_at: Date | null;
  finished_at: Date | null;
  /** The payments that it is about: from, and before. */
  window_from: Date | null;
  window_to: Date | null;
  /** The days of the list that are not read yet, YYYY-MM-DD. */
  unread_from: string | null;
  unread_to: string | null;
  listed: Generated<number>;
  missing: Generated<number>;
  opened: Generated<number>;
  called: Generated<number>;
  faults: Generated<number>;
  publish: Generated<boolean>;
  source: string;
  kind: "automatic" | "back_fill";
  state: Generated<"due" | "claimed" | "done">;
  last_error: string | null;
}

export interface CertificateTable {
  id: string;
  lease_token: string | null;
  created_at: Generated<Date>;
  due_at: Generated<Date>;
  claimed_until: Date | null;
  finished_at: Date | null;
  window_from: Date;
  window_to: Date;
  /** Of the daily run: the day it was made on, YYYY-MM-DD. */
  day: string | null;
  paid: number | null;
  stored: number | null;
  published: number | null;
  gaps: number | null;
  differences: number | null;
  faults: Generated<number>;
  paid_amount: string | null;
  stored_amount: string | null;
  published_amount: string | null;
  source: string;
  state: Generated<"due" | "claimed" | "done">;
  last_error: string | null;
  collection_ids: string[];
  /** The whole certificate. */
  document: unknown;
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
  sweep: SweepTable;
  certificate: CertificateTable;
  replay: ReplayTable;
  replay_refusal: ReplayRefusalTable;
  callback_reading: CallbackReadingTable;
  audit_entry: AuditEntryTable;
}
