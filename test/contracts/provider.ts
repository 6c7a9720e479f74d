import type { CollectionClient } from "../../src/collection-api/index.ts";

/**
 * A provider that `describe-operations.ts` can ask, and what it has been told to hold.
 */
export interface Provider {
  /** A client of this provider, with a key that it accepts. */
  client: CollectionClient;
  /** An active collection; with the two invoices below and more than one page of two. */
  collectionId: string;
  paidInvoiceId: string;
  unpaidInvoiceId: string;
  /** What Create Invoice may send for this collection: `40000.00` if it has no fixed amount, else nothing. */
  amount: string | undefined;
  /** An id of Get Banks. */
  bankId: number;
  /** An account number that is linked already. */
  linkedAccountNumber: string;
  close(): Promise<void>;
}

export type StartProvider = () => Promise<Provider>;
