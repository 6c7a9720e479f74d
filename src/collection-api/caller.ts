import { setTimeout as wait } from "node:timers/promises";
import { Pool } from "undici";
import type { z } from "zod";
import { RelayError } from "../kit/errors.ts";
import { Secret } from "../kit/secret.ts";
import { CollectionApiError, type FaultDetails } from "./collection-api-error.ts";
import { DEFAULT_BANKS_PATH, type Operation } from "./contract/operations.ts";
import { exchange, type HttpRequest } from "./exchange.ts";
import { type JudgedAnswer, judgeAnswer, LONGEST_WAIT_MS, retryDelayMs } from "./judge-answer.ts";

export interface CollectionClientOptions {
  /** The interface's `{base_url}`, such as `https://api.example.com`; `/api/v1` at its end is left out. */
  baseUrl: string;
  /** Sent as `x-api-key`; never part of an error. */
  apiKey: string | Secret;
  /** How long one try may take, in ms, from waiting for a connection to the last byte; 10,000 when left out. */
  timeoutMs?: number | undefined;
  /** How often a read is retried after a fault that may pass; 2 when left out. Writes are never retried. */
  retries?: number | undefined;
  /** How many connections are open, and so how many requests under way, at most; 64 when left out. */
  connections?: number | undefined;
  /** The path of Get Banks, which the interface leaves open; `/api/v1/banks` when left out. */
  banksPath?: string | undefined;
  /**
   * The `callBackUrl` of an invoice that is created without one: a URL, to which the reference is added as
   * the last part of the path, or a function that makes it from the reference.
   */
  callbackUrl?: string | ((reference: string | undefined) => string) | undefined;
}

export interface CallOptions {
  /** Instead of the client's `timeoutMs`. */
  timeoutMs?: number | undefined;
  /** Instead of the client's `retries`. */
  retries?: number | undefined;
  /** Stops the call at any stage. */
  signal?: AbortSignal | undefined;
  /**
   * Called at the end of each try, before its answer is read, with the HTTP status; null without an answer.
   * The next request may go out from then on.
   */
  onExchanged?: ((status: number | null) => void) | undefined;
}

export type ClientSettings = ReturnType<typeof checkOptions>;

/** What differs from call to call, already checked by the operation's request schemas. */
interface CallRequest {
  id?: string;
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: unknown;
}

/** Sends requests over pooled connections, judges the answers, and retries reads. */
export class Caller {
  readonly #settings: ClientSettings;
  readonly #pool: Pool;
  readonly #headers: Record<string, string>;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
    // The pool's own time-outs are off: `exchange` times the whole answer.
    this.#pool = new Pool(settings.origin, {
      connections: settings.connections,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#headers = {
      accept: "application/json",
      "user-agent": "invoice-relay",
      "x-api-key": settings.key.reveal(),
    };
  }

  /** @throws CollectionApiError for every answer that is not a success, and when there is no answer. */
  async call<Data>(
    operation: Operation,
    read: z.ZodType<Data>,
    request: CallRequest,
    options: CallOptions,
  ): Promise<JudgedAnswer<Data>> {
    const { retries = this.#settings.retries, timeoutMs = this.#settings.timeoutMs, signal } = options;
    const limits = { timeoutMs, signal, onExchanged: options.onExchanged };
    const safe = operation.method === "GET";
    const http = this.#httpRequest(operation, request);
    for (let attempt = 1; ; attempt += 1) {
      const answer = await exchange(this.#pool, http, limits);
      const result = "status" in answer ? judgeAnswer(answer, read, new Date()) : answer;
      if (!("kind" in result)) return result;

      const outcomeUnknown = !safe && ("maybeSent" in answer ? answer.maybeSent : saysNoOutcome(result));
      const error = this.fault(operation, { ...result, outcomeUnknown });
      const mayPass = safe && error.next === "retry" && error.kind !== "aborted";
      if (!mayPass || attempt > retries || (error.retryAfterMs ?? 0) > LONGEST_WAIT_MS) throw error;
      await this.#wait(operation, retryDelayMs(attempt, error.retryAfterMs, Math.random()), signal);
    }
  }

  fault(operation: Operation, details: FaultDetails): CollectionApiError {
    return new CollectionApiError(operation.title, details, this.#settings.key);
  }

  async close(graceMs: number): Promise<void> {
    const cut = setTimeout(() => void this.#pool.destroy(), graceMs);
    try {
      await this.#pool.close();
    } finally {
      clearTimeout(cut);
    }
  }

  async #wait(operation: Operation, ms: number, signal: AbortSignal | undefined): Promise<void> {
    try {
      await wait(ms, undefined, signal === undefined ? {} : { signal });
    } catch {
      throw this.fault(operation, { kind: "aborted", detail: "stopped by the caller" });
    }
  }

  #httpRequest(operation: Operation, { id, query, body }: CallRequest): HttpRequest {
    const path = this.#settings.prefix + operation.path.replace("{id}", id ?? "");
    const json = body === undefined ? null : JSON.stringify(body);
    return {
      method: operation.method,
      path: query === undefined ? path : path + search(query),
      headers: json === null ? this.#headers : { ...this.#headers, "content-type": "application/json" },
      body: json,
    };
  }
}

function search(query: Readonly<Record<string, string | number | undefined>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.set(name, String(value));
  return parameters.size === 0 ? "" : `?${parameters}`;
}

/** Whether an answer leaves open whether the request was carried out. */
function saysNoOutcome({ kind }: FaultDetails): boolean {
  return ["timeout", "server_fault", "broken_json", "outside_contract"].includes(kind);
}

/** The options with the defaults. @throws RelayError that names the one which cannot be used, without its value. */
export function checkOptions(options: CollectionClientOptions) {
  const url = URL.parse(options.baseUrl);
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw wrong("baseUrl should be a web address such as https://api.example.com");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw wrong("baseUrl should hold no user name, password, query or fragment");

  const key = typeof options.apiKey === "string" ? new Secret(options.apiKey) : options.apiKey;
  if (!/^[\x21-\x7E]+$/.test(key.reveal()))
    throw wrong("apiKey should be one or more visible characters without spaces");

  const banksPath = options.banksPath ?? DEFAULT_BANKS_PATH;
  if (!/^\/[^\s?#]*$/.test(banksPath)) throw wrong("banksPath should be a path such as /api/v1/banks");

  const { callbackUrl } = options;
  return {
    origin: url.origin,
    // What stands before every path. Many paste the address with `/api/v1`, which every operation's path begins with already.
    prefix: url.pathname.replace(/\/+$/, "").replace(/\/api\/v1$/i, ""),
    key,
    timeoutMs: whole("timeoutMs", options.timeoutMs ?? 10_000, 1, 600_000),
    retries: whole("retries", options.retries ?? 2, 0, 10),
    connections: whole("connections", options.connections ?? 64, 1, 10_000),
    banksPath,
    callbackUrl:
      typeof callbackUrl === "function"
        ? callbackUrl
        : (reference: string | undefined) =>
            callbackUrl === undefined ? null : withReference(callbackUrl, reference),
  };
}

function withReference(url: string, reference: string | undefined): string {
  return reference === undefined ? url : `${url.replace(/\/+$/, "")}/${encodeURIComponent(reference)}`;
}

function whole(name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw wrong(`${name} should be a whole number from ${least} to ${most}`);
}

const wrong = (problem: string) => new RelayError(`CollectionClient: ${problem}.`);
