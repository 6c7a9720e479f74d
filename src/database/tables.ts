// Generated from the migrated database. Anew: npx vitest run --project relay test/database -u
import type { Generated, GeneratedAlways } from "kysely";

export interface AlarmTable {
  id: GeneratedAlways<number>;
  raised_at: Generated<Date>;
  last_raised_at: Generated<Date>;
  cleared_at: Date | null;
  told_at: Date | null;
  cleared_told_at: Date | null;
  times: Generated<number>;
  name: string;
  source: string;
  subject: string;
  detail: string;
}

export interface AlarmTellingTable {
  id: Generated<boolean>;
  next_at: Generated<Date>;
  failures: Generated<number>;
}

export interface AuditEntryTable {
  id: GeneratedAlways<number>;
  at: Generated<Date>;
  invoice_id: string | null;
  actor: string;
  action: string;
  subject: string;
  detail: unknown;
}

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
  verdict: "unreadable" | "ping" | "refused" | null;
  cut: unknown;
  invoice_ids: string[];
  headers: [name: string, value: string][];
  body: Buffer;
  erased_digest: string | null;
}

export interface CallbackBudgetTable {
  counted_at: Generated<Date>;
  bytes: number;
  callbacks: number;
  ids: number;
  key: string;
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

export interface CertificateTable {
  id: string;
  lease_token: string | null;
  created_at: Generated<Date>;
  due_at: Generated<Date>;
  claimed_until: Date | null;
  finished_at: Date | null;
  window_from: Date;
  window_to: Date;
  day: string | null;
  paid: number | null;
  stored: number | null;
  published: number | null;
  gaps: number | null;
  differences: number | null;
  faults: Generated<number>;
  deep: Generated<boolean>;
  paid_amount: string | null;
  stored_amount: string | null;
  published_amount: string | null;
  source: string;
  state: Generated<"due" | "claimed" | "done">;
  result: "equal" | "not_equal" | "refused" | null;
  last_error: string | null;
  progress: unknown;
  collection_ids: string[];
  document: unknown;
}

export interface ConfirmationTable {
  invoice_id: string;
  lease_token: string | null;
  callback_id: string | null;
  opened_at: Date;
  requested_at: Date;
  due_at: Date;
  claimed_until: Date | null;
  settled_at: Date | null;
  released_at: Date | null;
  dismissed_at: Date | null;
  erased_at: Date | null;
  requests: Generated<number>;
  attempt: Generated<number>;
  faults: Generated<number>;
  record_only: Generated<boolean>;
  source: string;
  priority: Generated<"known" | "unknown" | "replay">;
  state: Generated<"due" | "claimed" | "done" | "dead">;
  opened_by: "callback" | "reconcile" | "replay" | "operator";
  sender: string | null;
  traceparents: string | null;
  verdict: "pending" | "paid" | "quarantined" | "invalidated" | "not_paid" | "unknown_invoice" | null;
  last_error: string | null;
  last_answer: string | null;
}

export interface EventTable {
  id: string;
  invoice_id: string;
  created_at: Generated<Date>;
  erased_at: Date | null;
  source: string;
  type: string;
  invoice_type: string;
  collection_name: string | null;
  payload: string;
  erased_digest: string | null;
}

export interface FailingChoreTable {
  failing_since: Generated<Date>;
  failures: Generated<number>;
  name: string;
  last_error: string;
}

export interface HistoryEntryTable {
  id: GeneratedAlways<number>;
  invoice_id: string;
  at: Generated<Date>;
  source: string;
  kind: "ask_failed" | "replayed" | "send_failed" | "verdict";
  detail: string;
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
  payer_email_hash: number | null;
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
  id: GeneratedAlways<number>;
  invoice_id: string;
  asked_at: Date;
  recorded_at: Generated<Date>;
  erased_at: Date | null;
  source: string;
  status: string;
  digest: string;
  document: unknown;
}

export interface ListedPaymentTable {
  certificate_id: string;
  invoice_id: string;
  collection_id: string | null;
  paid_at: Date | null;
  created_at: Date | null;
  asked_paid_at: Date | null;
  asked_created_at: Date | null;
  reading: Generated<number>;
  listed: Generated<boolean>;
  live: Generated<boolean>;
  test: Generated<boolean>;
  lacks_status: Generated<boolean>;
  lacks_amount: Generated<boolean>;
  amounts_differ: Generated<boolean>;
  amount: string | null;
  asked_amount: string | null;
  asked: "paid" | "not_paid" | "not_found" | "unclear" | null;
  asked_status: string | null;
  asked_type: string | null;
  asked_collection: string | null;
}

export interface OutboxTable {
  event_id: string;
  lease_token: string | null;
  callback_id: string | null;
  requested_at: Date | null;
  due_at: Generated<Date>;
  claimed_until: Date | null;
  dismissed_at: Date | null;
  attempt: Generated<number>;
  source: string;
  invoice_type: string;
  state: Generated<"due" | "claimed" | "held" | "dead">;
  last_error: string | null;
  traceparent: string | null;
}

export interface PublicationTable {
  id: GeneratedAlways<number>;
  event_id: string;
  published_at: Generated<Date>;
  replay_id: string | null;
  source: string;
  topic_arn: string;
  message_id: string;
  digest: Buffer | null;
}

export interface RelayProcessTable {
  id: string;
  started_at: Generated<Date>;
  seen_at: Generated<Date>;
  pid: number;
  http: boolean;
  workers: boolean;
  host: string;
  version: string;
}

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
  kind: "confirmations" | "callbacks" | "events";
  state: Generated<"running" | "done" | "failed" | "cancelled">;
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
  source: string;
  error: string;
}

export interface SourceTable {
  name: string;
  first_served_at: Date | null;
  scout_at: Generated<Date>;
  allowance_at: Generated<Date>;
  unknown_allowance_at: Generated<Date>;
  allowance: Generated<number>;
  unknown_allowance: Generated<number>;
  unknown_share: Generated<number>;
  opens_at: Generated<Date>;
  retry_at: Generated<Date>;
  paused_at: Date | null;
  paused_until: Date | null;
  probe_at: Date | null;
  version: Generated<number>;
  faults: Generated<number>;
  paused_by: "operator" | "refused" | null;
  pause_reason: string | null;
  last_error: string | null;
}

export interface SweepTable {
  id: string;
  collection_id: string;
  lease_token: string | null;
  due_at: Generated<Date>;
  claimed_until: Date | null;
  started_at: Date | null;
  finished_at: Date | null;
  window_from: Date | null;
  window_to: Date | null;
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
  unproven: Generated<unknown>;
}

export interface SweptPaymentTable {
  sweep_id: string;
  invoice_id: string;
  missing: boolean;
  opened: boolean;
  called: boolean;
}

export interface TopicTable {
  arn: string;
  opens_at: Generated<Date>;
  retry_at: Generated<Date>;
  paused_at: Date | null;
  paused_until: Date | null;
  probe_at: Date | null;
  version: Generated<number>;
  faults: Generated<number>;
  paused_by: "operator" | "refused" | null;
  pause_reason: string | null;
  last_error: string | null;
}

/** The relay's tables, as `migrations/relay` makes them. */
export interface Tables {
  alarm: AlarmTable;
  alarm_telling: AlarmTellingTable;
  audit_entry: AuditEntryTable;
  callback: CallbackTable;
  callback_budget: CallbackBudgetTable;
  callback_reading: CallbackReadingTable;
  certificate: CertificateTable;
  confirmation: ConfirmationTable;
  event: EventTable;
  failing_chore: FailingChoreTable;
  history_entry: HistoryEntryTable;
  invoice: InvoiceTable;
  invoice_snapshot: InvoiceSnapshotTable;
  listed_payment: ListedPaymentTable;
  outbox: OutboxTable;
  publication: PublicationTable;
  relay_process: RelayProcessTable;
  replay: ReplayTable;
  replay_refusal: ReplayRefusalTable;
  source: SourceTable;
  sweep: SweepTable;
  swept_payment: SweptPaymentTable;
  topic: TopicTable;
}
