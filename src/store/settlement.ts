import type { Lane, Verdict } from "../database/tables.ts";

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
  /** The provider's JSON, callback tokens masked. */
  document: string;
  /** Its personal data was erased here: `document` holds none. */
  erased: boolean;
  /** Tells whether two documents differ. */
  digest: string;
  /** When the GET began, by Postgres' clock: the tie-breaker of G6. */
  askedAt: Date;
  confirmedAt: Date;
  /** Whether it differs from what is stored, and so becomes a snapshot. */
  differs: boolean;
  /** Whether it is the newest known answer (G6); an older one becomes a snapshot only. */
  newest: boolean;
}

export interface NewEvent {
  id: string;
  type: string;
  invoiceType: string;
  collectionName: string | null;
  state: "due" | "held";
  payload: string;
  /** Parts of the invoice were left out for size. */
  truncated: boolean;
}

/** How one question goes on after one answer: all that is written for it, in one transaction. */
export interface Settlement {
  invoiceId: string;
  source: string;
  /** Written only while this is still the row's lease (G6). */
  leaseToken: string;
  /** What `requests` was at the claim: what came later asks again. */
  requests: number;
  state: "due" | "done" | "dead";
  verdict: Verdict | null;
  /** For `due`: when it is asked again, in ms from now. */
  dueInMs: number;
  lane: Lane;
  attempt: number;
  faults: number;
  lastError: string | null;
  /** Evidence of an answer outside the contract. */
  lastAnswer: string | null;
  invoice: ConfirmedInvoice | null;
  event: NewEvent | null;
}
