import type { Dispatcher } from "undici";
import { messageOf } from "../kit/errors.ts";
import { codeOf } from "../kit/postgres-errors.ts";

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

interface ExchangeLimits {
  /** Covers everything from waiting for a connection to the answer's last byte. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
  onExchanged?: ((status: number | null) => void) | undefined;
}

/** `onExchanged` is called at its end, with the HTTP status; null if there was no answer. */
export async function exchange(
  pool: Dispatcher,
  request: HttpRequest,
  { timeoutMs, signal, onExchanged }: ExchangeLimits,
): Promise<HttpAnswer | NoAnswer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const stop = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  const answer = await readAnswer(pool, request, stop).catch((error: unknown): NoAnswer => {
    if (signal?.aborted) return noAnswer("aborted", "stopped by the caller");
    if (timeout.aborted) return noAnswer("timeout", `no whole answer within ${timeoutMs} ms`);
    return unreachable(error);
  });
  onExchanged?.("status" in answer ? answer.status : null);
  return answer;
}

async function readAnswer(
  pool: Dispatcher,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpAnswer | NoAnswer> {
  const { statusCode, headers, body } = await pool.request({ ...request, signal });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > LARGEST_ANSWER)
      return noAnswer("too_large", `the answer is larger than ${LARGEST_ANSWER} bytes`);
    chunks.push(chunk);
  }
  return { status: statusCode, headers, text: Buffer.concat(chunks).toString("utf8") };
}

/** Codes of a connection that never stood, so that nothing was sent on it. */
const NEVER_SENT = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

function unreachable(error: unknown): NoAnswer {
  const code = codeOf(error);
  if (code === "UND_ERR_HEADERS_OVERFLOW") return noAnswer("too_large", "the answer's headers are too large");
  // Only code and message: undici's errors may carry pieces of the answer.
  const named = code === "" ? "" : `, ${code}`;
  const detail = `the provider cannot be reached${named} (${messageOf(error)})`;
  return { ...noAnswer("unreachable", detail), maybeSent: !NEVER_SENT.test(code) };
}

const noAnswer = (kind: NoAnswer["kind"], detail: string): NoAnswer => ({ kind, detail, maybeSent: true });
