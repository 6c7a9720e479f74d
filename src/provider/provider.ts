import type { Answer, CollectionAnswer, KeyProof, PageAnswer } from "./answer.ts";

export interface AskOptions {
  /** The longest one answer may take, in ms. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Which page of a collection's list is asked for; days are YYYY-MM-DD, and included. */
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
 * The port to a provider account: what the stages know of it. Each call is made once: retries are the stages'
 * own. Whatever comes of it is an answer; nothing is thrown.
 */
export interface Provider {
  /**
   * @param options.onExchanged called once the answer is here, before it is read, with its HTTP status; null
   *   when there is none.
   */
  askInvoice(
    invoiceId: string,
    options: AskOptions & { onExchanged?: (status: number | null) => void },
  ): Promise<Answer>;
  readPage(request: PageRequest, options: AskOptions): Promise<PageAnswer>;
  getCollection(collectionId: string, options: AskOptions): Promise<CollectionAnswer>;
  /** Asks for an invoice id that nobody has, so that no single invoice's refusal is taken for the key's. */
  proveKey(options: AskOptions): Promise<KeyProof>;
  /** Lets what is under way finish. */
  close(): Promise<void>;
}
