import type { Answer, CollectionAnswer, KeyProof, PageAnswer } from "./answer.ts";

export interface AskOptions {
  /** The longest one answer may take, in ms. */
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
 * The port to a provider account: what the stages know of it. Each call asks once: retrying is up to the
 * stages. Whatever comes of it is returned as an answer; nothing is thrown.
 */
export interface Provider {
  /**
   * @param options.onExchanged called when the exchange is over, before the answer is read, with its HTTP
   *   status; null when there was no answer.
   */
  askInvoice(
    invoiceId: string,
    options: AskOptions & { onExchanged?: (status: number | null) => void },
  ): Promise<Answer>;
  readPage(request: PageRequest, options: AskOptions): Promise<PageAnswer>;
  getCollection(collectionId: string, options: AskOptions): Promise<CollectionAnswer>;
  /** Asks for an invoice id that nobody has, so that no single invoice's refusal is taken for the key's. */
  proveKey(options: AskOptions): Promise<KeyProof>;
  /** Lets the requests under way finish for a few seconds, and cuts them off then. */
  close(): Promise<void>;
}
