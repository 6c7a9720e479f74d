import type { ToldVerdict } from "../confirm/queue/confirmation.ts";

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
