import { Pool } from "undici";
import { z } from "zod";
import { ownWords, problemsOf } from "../../platform/validation/index.ts";
import { type ClassifiedAnswer, classifyAnswer } from "./classify-answer.ts";
import { type CallOptions, type CollectionClientOptions, checkOptions } from "./client-options.ts";
import { CollectionApiError, type FaultDetails } from "./collection-api-error.ts";
import type { AddLinkedAccountInput, Bank, Collection } from "./contract/collection.ts";
import {
  type CreateInvoiceInput,
  type CreateInvoiceRequest,
  createInvoiceBody,
} from "./contract/create-invoice.ts";
import type { Invoice, InvoiceFilterInput, InvoicePage } from "./contract/invoice.ts";
import { type Operation, operations } from "./contract/operations.ts";
import { type HttpRequest, sendRequest } from "./send-request.ts";

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

/** An operation whose answer's `data` is read as this. */
type Reading<Data> = Operation & { readonly data?: { readonly read: z.ZodType<Data> } };

/** The caller's input to a call. */
type Given = Partial<Record<"path" | "query" | "body", unknown>>;

/**
 * The seven operations of the Invoice Collection interface, each sent once. Every method rejects with a `CollectionApiError`;
 * a request that the contract does not allow is refused (`kind` `invalid`) before anything is sent.
 * Money is decimal strings; times are the provider's own text, which `toUtc` reads.
 */
export class CollectionClient {
  readonly #settings: ReturnType<typeof checkOptions>;
  readonly #pool: Pool;

  /** @throws RelayError that names the option which cannot be used. */
  constructor(options: CollectionClientOptions) {
    this.#settings = checkOptions(options);
    const { origin, connections } = this.#settings;
    // The pool's own time-outs are off: `sendRequest` times the whole answer.
    this.#pool = new Pool(origin, { connections, headersTimeout: 0, bodyTimeout: 0 });
  }

  async getCollection(id: string, options: CallOptions = {}): Promise<Collection> {
    return (await this.#callAbout(operations.getCollection, id, options)).data;
  }

  /** Get Collection Invoices: one page. Pages are counted from 1. */
  async listInvoices(
    collectionId: string,
    filter: InvoiceFilterInput = {},
    options: CallOptions = {},
  ): Promise<InvoicePage> {
    const given = { path: { id: collectionId }, query: filter };
    return (await this.#call(operations.listInvoices, given, options)).data;
  }

  /** Create Invoice. After a fault with `outcomeUnknown`, look for the invoice before you repeat it. */
  async createInvoice(request: CreateInvoiceInput, options: CallOptions = {}): Promise<InvoiceAnswer> {
    return withInvoice(await this.#call(operations.createInvoice, { body: request }, options));
  }

  async getInvoice(id: string, options: CallOptions = {}): Promise<InvoiceAnswer> {
    return withInvoice(await this.#callAbout(operations.getInvoice, id, options));
  }

  /** Invalidate Invoice: an unpaid invoice can no longer be paid. */
  async invalidateInvoice(id: string, options: CallOptions = {}): Promise<Done> {
    const { message } = await this.#call(operations.invalidateInvoice, { path: { id } }, options);
    return { message };
  }

  /** Add Linked Account: it stays pending until the provider approves it. */
  async addLinkedAccount(request: AddLinkedAccountInput, options: CallOptions = {}): Promise<Done> {
    const { message } = await this.#call(operations.addLinkedAccount, { body: request }, options);
    return { message };
  }

  /** Get Banks: each bank's `id` is what Add Linked Account takes as `bankId`. */
  async getBanks(options: CallOptions = {}): Promise<Bank[]> {
    const operation = { ...operations.getBanks, path: this.#settings.banksPath };
    return (await this.#call(operation, {}, options)).data;
  }

  /** Lets the calls under way finish for `graceMs`, cuts them off then, and closes the connections. */
  async close(graceMs = CLOSE_GRACE_MS): Promise<void> {
    const cut = setTimeout(() => void this.#pool.destroy(), graceMs);
    try {
      await this.#pool.close();
    } finally {
      clearTimeout(cut);
    }
  }

  /** Asks for one thing by its id. */
  async #callAbout<Data extends { id: string }>(operation: Reading<Data>, id: string, options: CallOptions) {
    const answer = await this.#call(operation, { path: { id } }, options);
    if (answer.data.id === id.toLowerCase()) return answer;
    const detail = "the answer is about another id than the one asked for";
    throw this.#fault(operation, { kind: "wrong_id", detail, evidence: answer.text });
  }

  /** @throws CollectionApiError for every answer that is not a success, and when there is no answer. */
  async #call<Data>(
    operation: Reading<Data>,
    given: Given,
    options: CallOptions,
  ): Promise<ClassifiedAnswer<Data>> {
    const { timeoutMs = this.#settings.timeoutMs, signal, onResponse } = options;
    const read = operation.data?.read ?? (z.unknown() as z.ZodType<Data>);
    const http = this.#httpRequest(operation, given);
    const answer = await sendRequest(this.#pool, http, { timeoutMs, signal, onResponse });
    const result = "status" in answer ? classifyAnswer(answer, read, new Date()) : answer;
    if (!("kind" in result)) return result;
    const outcomeUnknown =
      operation.method !== "GET" && ("maybeSent" in answer ? answer.maybeSent : saysNoOutcome(result));
    throw this.#fault(operation, { ...result, outcomeUnknown });
  }

  #fault(operation: Operation, details: FaultDetails): CollectionApiError {
    return new CollectionApiError(operation.title, details, this.#settings.key);
  }

  /** @throws CollectionApiError `invalid` for what the operation's schemas do not allow. */
  #httpRequest(operation: Operation, given: Given): HttpRequest {
    const checked = (part: keyof Given): unknown => {
      const result = operation.request[part]?.safeParse(given[part], { error: ownWords });
      if (result === undefined || result.success) return result?.data;
      const problems = problemsOf(result.error);
      throw this.#fault(operation, { kind: "invalid", detail: "not sent", problems });
    };
    const { id = "" } = (checked("path") ?? {}) as { id?: string };
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(checked("query") ?? {}))
      if (value !== undefined) query.set(name, String(value));
    const body = checked("body");
    const json = body === undefined ? null : JSON.stringify(onWire(operation, body));
    const path = this.#settings.prefix + operation.path.replace("{id}", id);
    return {
      method: operation.method,
      path: query.size === 0 ? path : `${path}?${query}`,
      headers: {
        accept: "application/json",
        "user-agent": "invoice-relay",
        "x-api-key": this.#settings.key.reveal(),
        ...(json !== null && { "content-type": "application/json" }),
      },
      body: json,
    };
  }
}

const onWire = ({ name }: Operation, body: unknown): unknown =>
  name === operations.createInvoice.name ? createInvoiceBody(body as CreateInvoiceRequest) : body;

/** Whether an answer leaves open whether the request was carried out. */
const saysNoOutcome = ({ kind }: FaultDetails): boolean =>
  ["timeout", "server_fault", "broken_json", "outside_contract"].includes(kind);

const withInvoice = ({ data, document, text, leftOut }: ClassifiedAnswer<Invoice>): InvoiceAnswer => ({
  invoice: data,
  document,
  text,
  leftOut,
});
