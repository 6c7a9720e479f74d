import type { Dispatcher } from "undici";
import { messageOf } from "../../platform/errors/index.ts";

const LARGEST_ANSWER = 1_048_576;

export interface HttpRequest {
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body: string | null;
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

interface NoAnswer {
  kind: "timeout" | "aborted" | "unreachable" | "too_large";
  detail: string;
  /** Whether the request may have reached the provider. */
  maybeSent: boolean;
}

interface RequestLimits {
  /** Covers everything from waiting for a connection to the answer's last byte. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
  onResponse?: ((status: number | null) => void) | undefined;
}

/** `onResponse` is called at its end, with the HTTP status; null if there was no answer. */
export function sendRequest(
  dispatcher: Dispatcher,
  request: HttpRequest,
  limits: RequestLimits,
): Promise<HttpAnswer | NoAnswer> {
  return new Promise((resolve) => {
    const reader = new AnswerReader(limits, (result) => {
      limits.onResponse?.("status" in result ? result.status : null);
      resolve(result);
    });
    if (!reader.done) dispatcher.dispatch(request, reader);
  });
}

/** Reads one answer through undici's own handler interface: a stream for each small answer costs a third more. */
class AnswerReader implements Dispatcher.DispatchHandler {
  done = false;
  readonly #resolve: (result: HttpAnswer | NoAnswer) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #abort = () => this.#cut("aborted", "stopped by the caller");
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: HttpAnswer["headers"] = {};
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor({ timeoutMs, signal }: RequestLimits, resolve: (result: HttpAnswer | NoAnswer) => void) {
    this.#resolve = resolve;
    this.#timer = setTimeout(() => this.#cut("timeout", `no whole answer within ${timeoutMs} ms`), timeoutMs);
    this.#signal = signal;
    signal?.addEventListener("abort", this.#abort);
    if (signal?.aborted) this.#abort();
  }

  /** From here on bytes may leave. A request that was given up while it waited for a connection is never sent. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.done) controller.abort(new Error("given up"));
    else this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HttpAnswer["headers"]): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > LARGEST_ANSWER)
      this.#cut("too_large", `the answer is larger than ${LARGEST_ANSWER} bytes`);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const text = Buffer.concat(this.#chunks).toString("utf8");
    this.#finish({ status: this.#status, headers: this.#headers, text });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const code = "code" in error ? String(error.code) : "";
    if (code === "UND_ERR_HEADERS_OVERFLOW") {
      this.#cut("too_large", "the answer's headers are too large");
    } else {
      // Only code and message: undici's errors may carry pieces of the answer.
      const named = code === "" ? "" : `, ${code}`;
      this.#cut("unreachable", `the provider cannot be reached${named} (${messageOf(error)})`);
    }
  }

  #cut(kind: NoAnswer["kind"], detail: string): void {
    if (this.done) return;
    this.#finish({ kind, detail, maybeSent: this.#controller !== undefined });
    this.#controller?.abort(new Error("given up"));
  }

  #finish(result: HttpAnswer | NoAnswer): void {
    if (this.done) return;
    this.done = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#resolve(result);
  }
}
