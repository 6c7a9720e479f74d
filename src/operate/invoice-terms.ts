import type { ToldVerdict } from "../confirmations/confirmation.ts";
import type { EventState } from "../outbox/event-state.ts";

export interface InvoiceFilters {
  /** The merchant's reference; exact match. */
  reference?: string | undefined;
  /** The provider's status, in any case. */
  status?: string | undefined;
  /** The collection's name, as it appears in invoices. */
  collection?: string | undefined;
  /** Decimal text: the total, or the amount without charges. */
  amount?: string | undefined;
  source?: string | undefined;
  /** ISO 8601, inclusive: confirmed since; by default, without a reference, the last 30 days. */
  from?: string | undefined;
  /** ISO 8601, exclusive. */
  to?: string | undefined;
}

/** One invoice as a list shows it; no personal data. */
export interface ListedInvoice {
  invoiceId: string;
  source: string;
  status: string;
  type: string | null;
  reference: string | null;
  collection: string | null;
  /** Decimal strings. */
  amount: string | null;
  totalAmount: string | null;
  paidAt: Date | null;
  confirmedAt: Date;
  verdict: ToldVerdict | null;
  /** The state of its event; null without one. */
  event: EventState | null;
}

export interface InvoiceTerms {
  /** Lower case. */
  id?: string | undefined;
  /** The merchant's reference; exact match. */
  reference?: string | undefined;
  /** The payer's full address, in any case. */
  email?: string | undefined;
  /** Decimal text: the total, or the amount without charges. */
  amount?: string | undefined;
  /** Days of payment, UTC, YYYY-MM-DD, both inclusive. */
  from?: string | undefined;
  to?: string | undefined;
  /** The collection's name, as it appears in invoices. */
  collection?: string | undefined;
  verdict?: ToldVerdict | undefined;
  source?: string | undefined;
}

/** A listed invoice that the provider may not have confirmed yet. */
export type FoundInvoice = Omit<ListedInvoice, "status" | "confirmedAt"> & {
  status: string | null;
  confirmedAt: Date | null;
};

/** For the test that prepares each shape of a statement. */
export const EVERY_FILTER: Required<InvoiceFilters> = {
  reference: "",
  status: "",
  collection: "",
  amount: "0",
  source: "",
  from: "",
  to: "",
};

export const EVERY_TERM: Required<InvoiceTerms> = {
  id: "",
  reference: "",
  email: "",
  amount: "0",
  from: "",
  to: "",
  collection: "",
  verdict: "paid",
  source: "",
};
