import { z } from "zod";
import { ownWords, problemsOf } from "../kit/problems.ts";
import {
  Caller,
  type CallOptions,
  type ClientSettings,
  type CollectionClientOptions,
  checkOptions,
} from "./caller.ts";
import {
  type AddLinkedAccountInput,
  addLinkedAccountRequest,
  type Bank,
  banksRead,
  type Collection,
  collectionRead,
} from "./contract/collection.ts";
import {
  type CreateInvoiceInput,
  createInvoiceBody,
  createInvoiceRequest,
} from "./contract/create-invoice.ts";
import {
  type Invoice,
  type InvoiceFilterInput,
  type InvoicePage,
  invoiceFilter,
  invoicePageRead,
  invoiceRead,
  type ListedInvoice,
} from "./contract/invoice.ts";
import { idPath, type Operation, operations } from "./contract/operations.ts";
import { iteratePages, ListChanged, type ListPosition } from "./iterate-pages.ts";
import type { JudgedAnswer } from "./judge-answer.ts";

/** How long `close` waits for the calls under way, in ms. */
const CLOSE_GRACE_MS = 5_000;

/** An invoice, and what it was read from. */
export interface InvoiceAnswer {
  invoice: Invoice;
  /** The answer's `data` as parsed, unknown fields included; `JSON.stringify` writes every number's own digits. */
  document: unknown;
  /** The whole answer's text as it was received. */
  text: string;
  /** Fields were too deep, or of too many pieces, to be read; in `document` a text says so in their place. */
  leftOut: boolean;
}

/** An answer that only says that it was done. */
export interface Done {
  message: string;
}

export interface IterateOptions extends CallOptions {
  beforePage?: (() => Promise<void>) | undefined;
  position?: ListPosition | undefined;
}

const nothing = z.unknown();

/**
 * The seven operations of the Invoice Collection interface. Every method rejects with a `CollectionApiError`;
 * a request that the contract does not allow is refused (`kind` `invalid`) before anything is sent.
 * Money is decimal strings; times are the provider's own text, which `toUtc` reads.
 */
export class CollectionClient {
  readonly #settings: ClientSettings;
  readonly #caller: Caller;

  /** @throws RelayError that names the option which cannot be used. */
  constructor(options: CollectionClientOptions) {
    this.#settings = checkOptions(options);
    this.#caller = new Caller(this.#settings);
  }

  async getCollection(id: string, options: CallOptions = {}): Promise<Collection> {
    const operation = operations.getCollection;
    const request = this.#given(operation, idPath, { id });
    const { data, text } = await this.#caller.call(operation, collectionRead, request, options);
    this.#isAbout(operation, request.id, data.id, text);
    return data;
  }

  /** Get Collection Invoices: one page. Pages are counted from 1. */
  async listInvoices(
    collectionId: string,
    filter: InvoiceFilterInput = {},
    options: CallOptions = {},
  ): Promise<InvoicePage> {
    const operation = operations.listInvoices;
    const { id } = this.#given(operation, idPath, { id: collectionId });
    const query = this.#given(operation, invoiceFilter, filter);
    return (await this.#caller.call(operation, invoicePageRead, { id, query }, options)).data;
  }

  /**
   * Get Collection Invoices: all pages. An invoice that matches throughout is yielded exactly once, even if
   * pages shift: where there are several, they are read forwards and then backwards.
   * @param options.beforePage awaited before each page is asked for, to pace the requests.
   * @param options.position of an earlier `list_unstable`: only what was not seen then is yielded.
   * @throws CollectionApiError `list_unstable` when the list still changes after three more readings. What
   *   was yielded is true, but may not be all; the error's `position` is where to go on.
   */
  async *iterateInvoices(
    collectionId: string,
    filter: Omit<InvoiceFilterInput, "page"> = {},
    { beforePage, position, ...options }: IterateOptions = {},
  ): AsyncGenerator<ListedInvoice, void, undefined> {
    const readPage = async (page: number) => {
      await beforePage?.();
      return await this.listInvoices(collectionId, { ...filter, page }, options);
    };
    try {
      yield* iteratePages(readPage, position);
    } catch (error) {
      if (!(error instanceof ListChanged)) throw error;
      const detail =
        "the list kept changing while it was read four times: ask for a period that is over " +
        "(an endDate before today), or go on later from this error's position";
      throw this.#caller.fault(operations.listInvoices, {
        kind: "list_unstable",
        detail,
        position: error.position,
      });
    }
  }

  /**
   * Create Invoice. Never sent twice: after a fault with `outcomeUnknown`, look for the invoice first.
   * @param options.reference the merchant's own, handed to the client's `callbackUrl` option, which fills in
   * `callBackUrl` where the request has none.
   */
  async createInvoice(
    request: CreateInvoiceInput,
    options: CallOptions & { reference?: string | undefined } = {},
  ): Promise<InvoiceAnswer> {
    const operation = operations.createInvoice;
    const callBackUrl = request.callBackUrl || this.#settings.callbackUrl(options.reference);
    const given = this.#given(operation, createInvoiceRequest, { ...request, callBackUrl });
    const body = createInvoiceBody(given);
    return withInvoice(await this.#caller.call(operation, invoiceRead, { body }, options));
  }

  async getInvoice(id: string, options: CallOptions = {}): Promise<InvoiceAnswer> {
    const operation = operations.getInvoice;
    const request = this.#given(operation, idPath, { id });
    const answer = await this.#caller.call(operation, invoiceRead, request, options);
    this.#isAbout(operation, request.id, answer.data.id, answer.text);
    return withInvoice(answer);
  }

  /** Invalidate Invoice: an unpaid invoice can no longer be paid. Never sent twice. */
  async invalidateInvoice(id: string, options: CallOptions = {}): Promise<Done> {
    const operation = operations.invalidateInvoice;
    const request = this.#given(operation, idPath, { id });
    const { message } = await this.#caller.call(operation, nothing, request, options);
    return { message };
  }

  /** Add Linked Account: it stays pending until the provider approves it. Never sent twice. */
  async addLinkedAccount(request: AddLinkedAccountInput, options: CallOptions = {}): Promise<Done> {
    const operation = operations.addLinkedAccount;
    const body = this.#given(operation, addLinkedAccountRequest, request);
    const { message } = await this.#caller.call(operation, nothing, { body }, options);
    return { message };
  }

  /** Get Banks: each bank's `id` is what Add Linked Account takes as `bankId`. */
  async getBanks(options: CallOptions = {}): Promise<Bank[]> {
    const operation = { ...operations.getBanks, path: this.#settings.banksPath };
    return (await this.#caller.call(operation, banksRead, {}, options)).data;
  }

  /** Lets the calls under way finish for `graceMs`, cuts them off then, and closes the connections. */
  close(graceMs = CLOSE_GRACE_MS): Promise<void> {
    return this.#caller.close(graceMs);
  }

  #given<Output>(operation: Operation, schema: z.ZodType<Output>, value: unknown): Output {
    const result = schema.safeParse(value, { error: ownWords });
    if (result.success) return result.data;
    const problems = problemsOf(result.error);
    throw this.#caller.fault(operation, { kind: "invalid", detail: "not sent", problems });
  }

  #isAbout(operation: Operation, asked: string, answered: string, evidence: string): void {
    if (asked === answered) return;
    const detail = "the answer is about another id than the one asked for";
    throw this.#caller.fault(operation, { kind: "wrong_id", detail, evidence });
  }
}

const withInvoice = ({ data, document, text, leftOut }: JudgedAnswer<Invoice>): InvoiceAnswer => ({
  invoice: data,
  document,
  text,
  leftOut,
});
