import { randomUUID } from "node:crypto";
import { type Dispatcher, getGlobalDispatcher, request } from "undici";
import { messageOf } from "../../../kit/errors.ts";
import { invoiceOnWire } from "../invoice-statements.ts";
import type { InvoiceRow } from "../service-tables.ts";
import { type CallbackRequest, callbackRequest } from "./callback-request.ts";

interface CallbackAnswer {
  answered: boolean;
  status?: number;
  body?: string;
  error?: string;
}

const KEPT_ANSWER_BYTES = 2_048;

interface SendOptions {
  readonly timeoutMs: number;
  readonly dispatcher?: Dispatcher;
  readonly signal?: AbortSignal;
}

/** Waits at most `timeoutMs` for the whole answer, follows no redirect, and never rejects. */
export async function sendCallback(callback: CallbackRequest, options: SendOptions): Promise<CallbackAnswer> {
  const { timeoutMs, dispatcher = getGlobalDispatcher(), signal } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await request(callback.url, {
      dispatcher,
      method: callback.method,
      headers: callback.headers,
      body: callback.body,
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return { answered: true, status: answer.statusCode, body: await beginningOf(answer.body) };
  } catch (error) {
    return {
      answered: false,
      error: timeout.aborted ? `No answer within ${timeoutMs} ms` : messageOf(error),
    };
  }
}

/** The first bytes of the answer as text that Postgres takes; the rest is read and dropped. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    if (bytes < KEPT_ANSWER_BYTES) kept.push(chunk);
    bytes += chunk.length;
  }
  return Buffer.concat(kept).subarray(0, KEPT_ANSWER_BYTES).toString("utf8").replaceAll("\0", "\uFFFD");
}

const TIMEOUT_MS = 30_000;

/** Sends once what a forger might: the documented callback of a paid invoice. Nothing is paid or written. */
export function forgeCallback(invoice: InvoiceRow, url: string, publicUrl: string): Promise<CallbackAnswer> {
  const now = new Date();
  const callback = callbackRequest({
    variant: "documented",
    url,
    webhookId: randomUUID(),
    notificationId: randomUUID(),
    collectionId: invoice.collection_id,
    queuedAt: now,
    invoice: {
      ...invoiceOnWire(invoice, publicUrl),
      status: "Paid",
      paymentDate: now.toISOString(),
      paymentMethod: "Card",
    },
  });
  return sendCallback(callback, { timeoutMs: TIMEOUT_MS });
}
