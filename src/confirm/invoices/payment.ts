import { hash } from "node:crypto";

/**
 * What invoices are looked up by when only the payer's address is known: 32 bits of the address's digest;
 * null without an address. Addresses may share one, so whoever looks it up compares the address itself.
 */
export function emailHash(address: string | null): number | null {
  const plain = plainEmail(address ?? "");
  return plain === "" ? null : hash("sha256", plain, "buffer").readInt32BE(0);
}

/** An address in the form in which addresses are compared. */
export const plainEmail = (address: string): string => address.trim().toLowerCase();

/** A confirmed invoice, ready for its row. Money as decimal strings; no text holds a NUL. */
export interface ConfirmedInvoice {
  createdAt: Date | null;
  modifiedAt: Date | null;
  paidAt: Date | null;
  amount: string;
  serviceCharge: string | null;
  vat: string | null;
  totalAmount: string | null;
  settleableAmount: string | null;
  status: string;
  type: string | null;
  collectionName: string | null;
  title: string | null;
  reference: string | null;
  paymentMethod: string | null;
  serviceFeePayer: string | null;
  /** See `emailHash`. */
  payerEmailHash: number | null;
  /** The provider's JSON, callback tokens masked. */
  document: string;
  /** Its personal data was erased here: `document` holds none. */
  erased: boolean;
  /** Tells whether two documents differ. */
  digest: string;
  /** When the GET began, by Postgres' clock: the tie-breaker of G6. */
  askedAt: Date;
  confirmedAt: Date;
  /** Whether it differs from the newest one that is stored. */
  differs: boolean;
  /** Whether it is the newest known answer (G6); an older one becomes a snapshot only. */
  newest: boolean;
}

/**
 * What stands where the provider's document of an erased invoice stood; ids and amounts have columns of their
 * own.
 */
export const erasedDocument = (invoiceId: string): string => JSON.stringify({ id: invoiceId, erased: true });
