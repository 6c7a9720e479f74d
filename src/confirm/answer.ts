import type { Invoice } from "../collection-api/contract/index.ts";

/** What came of asking the provider for one invoice. None of these is an exception: each has its rule in `judge`. */
export type Answer =
  | { kind: "found"; invoice: Invoice; document: unknown; receivedAt: Date }
  /** 404, or the message `Invoice with the given Id does not exist` under any status (interface, part A). */
  | { kind: "not_found" }
  /** 429 */
  | { kind: "rate_limited"; retryAfterMs: number | null; error: string }
  /** 401 or 403 */
  | { kind: "key_refused"; error: string }
  /** Time-out, 5xx, broken JSON, no connection: a fault of the whole source. */
  | { kind: "fault"; error: string }
  /** Readable, but not what the contract allows; or about another invoice. */
  | { kind: "outside_contract"; error: string; evidence: string }
  /** This side stopped waiting, because the process ends. */
  | { kind: "interrupted" };
