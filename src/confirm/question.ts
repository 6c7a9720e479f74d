import type { Lane, Verdict } from "../database/tables.ts";

/** What the relay last knew of the invoice, when the question was claimed. */
export interface KnownInvoice {
  status: string;
  modifiedAt: Date | null;
  amount: string | null;
  totalAmount: string | null;
  digest: string;
}

/** A question that this worker holds the lease of. */
export interface ClaimedQuestion {
  invoiceId: string;
  source: string;
  leaseToken: string;
  lane: Lane;
  requests: number;
  attempt: number;
  faults: number;
  verdict: Verdict | null;
  /** An operator let this invoice out of quarantine. */
  released: boolean;
  /** Its personal data was erased here, and must not come back. */
  erased: boolean;
  /** It is to be recorded and not published. */
  recordOnly: boolean;
  /** The answer before this one was outside the contract, and an alarm about it may be open. */
  hasEvidence: boolean;
  /** Postgres' clock at the claim, before the GET begins. */
  askedAt: Date;
  known: KnownInvoice | null;
}

/** What a question is like that nobody asked before. */
export const NOTHING_KNOWN = {
  lane: "unknown",
  requests: 1,
  attempt: 0,
  faults: 0,
  verdict: null,
  released: false,
  erased: false,
  recordOnly: false,
  hasEvidence: false,
  known: null,
} as const;
