import type { ColumnType, Generated, Kysely } from "kysely";
import type { CollectionWritten, InvoiceWritten } from "../../collection-api/contract/index.ts";
import type { CallbackVariant } from "./callbacks/callback-request.ts";
import type { FeeTerms } from "./invoice-totals.ts";

/** Bound as JSON text, read as the value. */
type Json<Value> = ColumnType<Value, string | null, string | null>;

export type InvoiceType = InvoiceWritten["type"];
export type InvoiceStatus = InvoiceWritten["status"];
export type PaymentMethod = NonNullable<InvoiceWritten["paymentMethod"]>;
type PaymentChannel = CollectionWritten["paymentChannels"][number];

interface ApiKeyTable {
  name: string;
  type: InvoiceType;
  sha256: Buffer;
}

interface BankTable {
  number: number;
  id: string;
  name: string;
  code: string;
  logo: string;
  seed_digest: string;
}

export interface CollectionTable {
  id: string;
  created_at: Date;
  amount: string | null;
  name: string;
  description: string | null;
  invoice_expiration_period: string;
  payment_channels: PaymentChannel[];
  settlement_frequency: CollectionWritten["settlementFrequency"];
  service_fee_billing: CollectionWritten["serviceFeeBilling"];
  status: CollectionWritten["status"];
  category_id: string | null;
  category_name: string | null;
  biller_name: string;
  biller_address: string | null;
  biller_email: string | null;
  fee: Json<FeeTerms>;
  seed_digest: string;
}

interface LinkedAccountTable {
  id: string;
  created_at: Generated<Date>;
  bank_number: number;
  is_primary: boolean;
  account_name: string;
  account_number: string;
  status: Generated<"Pending" | "Approved">;
  seed_digest: string | null;
}

interface CollectionAccountTable {
  collection_id: string;
  position: number;
  linked_account_id: string;
  percentage: string;
}

interface InvoiceColumns {
  id: string;
  collection_id: string;
  created_at: Date;
  modified_at: Date;
  expires_at: Date;
  paid_at: Date | null;
  readable_at: Date | null;
  amount: string;
  service_charge: string;
  vat: string;
  total_amount: string;
  settleable_amount: string;
  status: InvoiceStatus;
  type: InvoiceType;
  service_fee_payer: InvoiceWritten["serviceFeePayer"];
  settlement_frequency: InvoiceWritten["settlementFrequency"];
  payment_method: PaymentMethod | null;
  hidden_as: "Unpaid" | "missing" | null;
  title: string;
  payer_name: string;
  payer_email: string;
  payer_phone_number: string | null;
  callback_url: string | null;
}

export interface InvoiceTable extends InvoiceColumns {
  biller_metadata: Json<Record<string, string>>;
  beneficiaries: Json<Beneficiary[] | null>;
}

interface Beneficiary {
  linkedAccountId: string;
  /** A decimal string. */
  amount: string;
}

/** A row of `current_invoice` and `readable_invoice`. */
export interface InvoiceRow extends InvoiceColumns {
  biller_metadata: Record<string, string>;
  beneficiaries: Beneficiary[] | null;
  collection_name: string;
  biller_name: string;
  biller_address: string | null;
  biller_email: string | null;
  payment_channels: PaymentChannel[];
}

/** What a Create was called, and what it made. */
interface IdempotencyTable {
  api_key: string;
  key: string;
  request_sha256: Buffer;
  invoice_id: string;
}

export interface DeliveryTable {
  invoice_id: string;
  copy: number;
  webhook_id: string;
  notification_id: string;
  queued_at: Date;
  due_at: Date;
  attempt: Generated<number>;
  state: "due" | "delivered" | "given_up" | "withheld";
  variant: CallbackVariant;
  url: string;
}

interface DeliveryAttemptTable {
  invoice_id: string;
  copy: number;
  attempt: number;
  started_at: Date;
  took_ms: number;
  answer_status: number | null;
  answer_body: string | null;
  error: string | null;
}

/** The service's tables, as `migrations/collection-service` makes them. */
export interface ServiceTables {
  api_key: ApiKeyTable;
  bank: BankTable;
  collection: CollectionTable;
  linked_account: LinkedAccountTable;
  collection_account: CollectionAccountTable;
  invoice: InvoiceTable;
  current_invoice: InvoiceRow;
  readable_invoice: InvoiceRow;
  idempotency: IdempotencyTable;
  delivery: DeliveryTable;
  delivery_attempt: DeliveryAttemptTable;
}

export type ServiceDatabase = Kysely<ServiceTables>;
