import type { ColumnType, Kysely, Selectable } from "kysely";
import type { serviceSchema } from "../../../migrations/collection-service.schema.ts";
import type { TablesOf } from "../../platform/database/index.ts";
import type { CollectionWritten, InvoiceWritten } from "../../provider/index.ts";
import type { FeeTerms } from "./seed.ts";

/** Bound as JSON text, read as the value. */
type Json<Value> = ColumnType<Value, string | null, string | null>;

export type InvoiceType = InvoiceWritten["type"];
export type InvoiceStatus = InvoiceWritten["status"];
export type PaymentMethod = NonNullable<InvoiceWritten["paymentMethod"]>;

/** The form of documents, and the texts that no CHECK lists. */
interface Known {
  "collection.fee": Json<FeeTerms>;
  "collection.payment_channels": CollectionWritten["paymentChannels"];
  "invoice.biller_metadata": Json<Record<string, string>>;
  "invoice.beneficiaries": Json<{ linkedAccountId: string; amount: string }[] | null>;
  "invoice.payment_method": PaymentMethod | null;
  "invoice.service_fee_payer": InvoiceWritten["serviceFeePayer"];
  "invoice.settlement_frequency": InvoiceWritten["settlementFrequency"];
}

type Made = TablesOf<typeof serviceSchema, Known>;

/** The service's tables, as `migrations/collection-service` makes them. */
export interface ServiceTables extends Made {
  current_invoice: InvoiceRow;
  readable_invoice: InvoiceRow;
}

export type InvoiceTable = Made["invoice"];
export type CollectionTable = Made["collection"];

/** A row of `current_invoice` and `readable_invoice`. */
export type InvoiceRow = Selectable<InvoiceTable> &
  Pick<Selectable<CollectionTable>, "biller_name" | "biller_address" | "biller_email"> & {
    collection_name: string;
  };

export type ServiceDatabase = Kysely<ServiceTables>;
