import { setTimeout as wait } from "node:timers/promises";
import { Pool } from "undici";
import type { z } from "zod";
import type { CallOptions, ClientSettings } from "./client-options.ts";
import { CollectionApiError, type FaultDetails } from "./collection-api-error.ts";
import type { Operation } from "./contract/operations.ts";
import { exchange, type HttpRequest } from "./exchange.ts";
import { type Judged, judgeAnswer } from "./judge-answer.ts";
import { MOST_WAIT_MS, retryDelayMs } from "./retry-delay.ts";

/** What differs from call to call, already checked by the operation's request schemas. */
export interface CallRequest {
  id?: string;
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: unknown;
}

/**
 * Carries out operations over pooled connections: sends the request, judges the answer, and retries reads.
 */
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
  ): Promise<Judged<Data>> {
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
      if (!mayPass || attempt > retries || (error.retryAfterMs ?? 0) > MOST_WAIT_MS) throw error;
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
