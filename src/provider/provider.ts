import { storableText } from "../platform/values/index.ts";
import type { Collection, Invoice, InvoicePage, ListedInvoice } from "./collection-api/index.ts";

export interface AskOptions {
  /** How long one answer may take, in ms. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Which page of a collection's list is asked for; days are YYYY-MM-DD, inclusive. */
export interface PageRequest {
  collectionId: string;
  /** Counted from 1. */
  page: number;
  pageSize: number;
  invoiceStatus?: string | undefined;
  invoiceType?: string | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
}

/**
 * The port to an account at the Invoice Collection API: the stages, and their tests, meet its outcomes and
 * neither HTTP nor errors. The model is that API's: its documents, collections listed by day, and ids that
 * are UUIDs, as which the tables keep them. Each call asks once: retrying is up to the stages. Every outcome
 * is returned as an answer, never thrown.
 */
export interface Provider {
  /**
   * @param options.onResponse called when the request is over, before the answer is read, with its HTTP
   *   status; null when there was no answer.
   */
  askInvoice(
    invoiceId: string,
    options: AskOptions & { onResponse?: (status: number | null) => void },
  ): Promise<Answer>;
  readPage(request: PageRequest, options: AskOptions): Promise<PageAnswer>;
  getCollection(collectionId: string, options: AskOptions): Promise<CollectionAnswer>;
  /**
   * Asks for an invoice id that does not exist, so that a single invoice's refusal is not taken for the
   * key's.
   */
  proveKey(options: AskOptions): Promise<KeyProof>;
  /** Lets the requests under way finish for a few seconds, and cuts them off then. */
  close(): Promise<void>;
}

// Not the index: it would bring the client, and an HTTP client with it, into code that only reads money.
export {
  compareMoney,
  differenceOfMoney,
  type Money,
  moneyOf,
  sumOfMoney,
} from "./collection-api/contract/money.ts";
export { FIRST_YEAR, toUtc } from "./collection-api/contract/tolerant-fields.ts";
export type { Collection, Invoice, InvoicePage, ListedInvoice };

/** How many characters are kept of a status: no provider's word is longer. */
const LONGEST_STATUS = 200;

/** A status as it is compared and stored. */
export const statusText = (status: string): string => storableText(status.slice(0, LONGEST_STATUS));

/**
 * The outcomes of a call to a provider besides its answer. They are returned, not thrown: each has its rule.
 */
export type Refusal =
  /** 429 */
  | { kind: "rate_limited"; retryAfterMs: number | null; error: string }
  /** 401 or 403: refuses the key, or only what this one request asked for. */
  | { kind: "key_refused"; error: string }
  /** Time-out, 5xx, broken JSON, no connection: a fault of the whole source. */
  | { kind: "fault"; error: string }
  /** Readable, but not what the contract allows; or about something else than was asked for. */
  | { kind: "outside_contract"; error: string; evidence: string }
  /** This side stopped waiting, because the process ends. */
  | { kind: "interrupted" };

/**
 * @param inOwnWords the provider says it in its own envelope; else it may be a gateway's or a web server's
 *   404.
 */
export type NotFound = { kind: "not_found"; inOwnWords: boolean; error: string };

/** The outcome of asking for an invoice. */
export type Answer = Found | NotFound | Refusal;

export interface Found {
  kind: "found";
  /** Its status as `statusText` leaves it. */
  invoice: Invoice;
  document: unknown;
  receivedAt: Date;
  /** Fields such as the metadata were too intricate to be read; false by default. */
  leftOut?: boolean;
}

export type CollectionAnswer = { kind: "found"; collection: Collection } | NotFound | Refusal;

export type PageAnswer = { kind: "page"; page: InvoicePage } | NotFound | Refusal;

/** Whether the provider takes the key; `unclear` when its answer says neither. */
export type KeyProof =
  | { kind: "taken" }
  | { kind: "refused"; error: string }
  | { kind: "unclear"; error: string };
