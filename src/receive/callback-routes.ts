import { type Request, type Response, Router } from "express";
import { messageOf, RelayError } from "../kit/errors.ts";
import type { Logger } from "../kit/log.ts";
import type { Metrics } from "../kit/metrics.ts";
import type { Source } from "../kit/sources.ts";
import type { CallbackLog, IncomingCallback } from "../record/callback-log.ts";
import { CallbackTokens } from "./callback-tokens.ts";
import { maskedHeaders } from "./masked-headers.ts";
import { readBody } from "./read-body.ts";
import { type Reading, readCallback } from "./reading/read-callback.ts";

/** The most bytes of a callback's body, as sent and after decompression. */
export const BODY_LIMIT = 256 * 1024;

const METHODS = new Set(["POST", "GET", "HEAD"]);

export interface CallbackRoutesOptions {
  sources: readonly Source[];
  log: CallbackLog;
  logger: Logger;
  metrics: Metrics;
  /** What answers a recorded callback, as the provider wants it. */
  ackStatus: number;
  ackBody: string;
}

/**
 * `POST|GET|HEAD /callbacks/{token}[/{reference}]`. Nothing but the commit stands between request and answer,
 * and 2xx leaves only after it (G1).
 */
export function callbackRoutes(options: CallbackRoutesOptions): Router {
  const tokens = new CallbackTokens(options.sources);
  const router = Router();
  router.all("/callbacks/:token{/*reference}", async (request, response) => {
    const done = options.metrics.callbackSeconds.startTimer();
    await answer(request, response, tokens, options);
    done();
    options.metrics.callbacks.inc({ status: response.statusCode });
  });
  return router;
}

async function answer(
  request: Request,
  response: Response,
  tokens: CallbackTokens,
  options: CallbackRoutesOptions,
): Promise<void> {
  const source = tokens.sourceOf(request.params["token"] as string);
  if (source === null)
    return refuse(
      response,
      404,
      "There is nothing here. Check the callback URL: invoice-relay callback-url prints it.",
    );
  if (!METHODS.has(request.method)) {
    response.setHeader("allow", [...METHODS].join(", "));
    return refuse(response, 405, "A callback is sent with POST, GET or HEAD.");
  }
  const outcome = await readBody(request, BODY_LIMIT);
  if (outcome.kind === "broken_off") return refuse(response, 400, "The request broke off before its end.");
  if (outcome.kind === "too_large")
    return refuse(response, 413, `A callback may hold ${BODY_LIMIT} bytes at most.`);

  const [path = "", query = ""] = splitOnce(request.originalUrl, "?");
  const reference = referenceOf(request.params["reference"] as string[] | undefined);
  const reading = readCallback(
    {
      method: request.method,
      query,
      reference,
      contentType: request.headers["content-type"] ?? null,
      contentEncoding: request.headers["content-encoding"] ?? null,
      body: outcome.body,
    },
    { inflatedBytes: BODY_LIMIT },
  );
  if (reading.kind === "too_large")
    return refuse(response, 413, `A callback may hold ${BODY_LIMIT} bytes at most, after decompression too.`);

  try {
    await options.log.append({
      source: source.name,
      method: request.method,
      path: path.replace(/^\/callbacks\/[^/]+/, "/callbacks/***"),
      query,
      headers: maskedHeaders(request.rawHeaders),
      body: outcome.body,
      remoteAddress: request.ip ?? null,
      reference,
      ...whatWasRead(reading),
    });
  } catch (error) {
    options.logger.warn(
      { source: source.name, error: messageOf(error) },
      "a callback could not be recorded; its sender was told to try again",
    );
    response.setHeader("retry-after", error instanceof RelayError && error.next === "retry" ? "1" : "5");
    return refuse(response, 503, "The callback could not be recorded. Send it again.");
  }
  response.writeHead(options.ackStatus, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(options.ackBody),
  });
  response.end(options.ackBody);
}

function whatWasRead(
  reading: Exclude<Reading, { kind: "too_large" }>,
): Pick<IncomingCallback, "invoiceIds" | "foundBy" | "verdict"> {
  return reading.kind === "ids"
    ? { invoiceIds: reading.invoiceIds, foundBy: reading.foundBy, verdict: null }
    : { invoiceIds: [], foundBy: null, verdict: reading.kind };
}

function refuse(response: Response, status: number, why: string): void {
  // What was not read stays in the socket: the connection cannot be used again.
  if (!response.req.complete) response.setHeader("connection", "close");
  response.status(status).type("text/plain").send(`${why}\n`);
}

/** Postgres text holds no NUL. */
const referenceOf = (segments: string[] | undefined): string | null =>
  segments?.join("/").replaceAll("\0", "\uFFFD") ?? null;

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}
