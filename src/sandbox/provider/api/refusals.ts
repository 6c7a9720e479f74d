import type { Duplex } from "node:stream";
import type { ErrorRequestHandler, RequestHandler, Response } from "express";
import { type ErrorAnswer, SPECIFIED_MESSAGES } from "../../../collection-api/contract/index.ts";
import { messageOf } from "../../../kit/errors.ts";
import type { Logger } from "../../../kit/log.ts";
import { isLostConnection } from "../../../kit/postgres-errors.ts";
import type { ApiFault } from "../faults/faults.ts";
import { GATEWAY_ANSWERS, type GatewayAnswerName } from "../faults/gateway-answers.ts";

/** An answer that says no: the body of part B, whose `status` is the HTTP status. */
export type Refusal = ErrorAnswer;

// `type` is our own word for the group (the interface leaves it open); each error starts with the field's
// name.
const refusal =
  (status: number, type: string, message: string) =>
  (...errors: string[]): Refusal => ({ status, message, type, errors });

/** The first problem is the message, since common clients show nothing else. */
const makeRefusal =
  (status: number, type: string, message: string) =>
  (...errors: string[]): Refusal => ({ status, message: errors[0] ?? message, type, errors });

export const REFUSALS = {
  invalid: makeRefusal(400, "VALIDATION_ERROR", "The request is not valid"),
  accountRefused: makeRefusal(400, "LINKED_ACCOUNT_REFUSED", "The account cannot be linked"),
  unauthorized: refusal(401, "UNAUTHORIZED", "The API key is missing or not valid"),
  forbidden: (message: string, ...errors: string[]) => refusal(403, "FORBIDDEN", message)(...errors),
  closedCollection: makeRefusal(403, "COLLECTION_CLOSED", "The collection does not take invoices"),
  wrongKind: refusal(403, "WRONG_KIND_OF_KEY", "A Test key cannot do that"),
  unknownPath: refusal(404, "NOT_FOUND", "There is nothing at this address"),
  unknownCollection: refusal(404, "NOT_FOUND", "Collection with the given Id does not exist"),
  unknownInvoice: refusal(404, "NOT_FOUND", SPECIFIED_MESSAGES.unknownInvoice),
  wrongMethod: refusal(405, "METHOD_NOT_ALLOWED", "This address does not take that method"),
  tooSlow: refusal(408, "REQUEST_TIMEOUT", "The request took too long to come"),
  keyReused: makeRefusal(409, "IDEMPOTENCY_KEY_REUSED", "The idempotency key was used for another request"),
  ruleBroken: makeRefusal(412, "BUSINESS_RULE_VIOLATION", "A rule of business is against it"),
  notPayable: refusal(412, "BUSINESS_RULE_VIOLATION", SPECIFIED_MESSAGES.notPayable),
  tooLarge: makeRefusal(413, "PAYLOAD_TOO_LARGE", "The request's body is too large"),
  wrongContentType: makeRefusal(415, "UNSUPPORTED_MEDIA_TYPE", "The Content-Type is not taken"),
  tooMany: refusal(429, "TOO_MANY_REQUESTS", "Too many requests, try again later"),
  headersTooLarge: makeRefusal(431, "HEADERS_TOO_LARGE", "The request's headers are too large"),
  failed: refusal(500, "INTERNAL_ERROR", "Something went wrong on this side"),
  unavailable: refusal(503, "UNAVAILABLE", "Try again shortly"),
} as const;

interface WireAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Writes the answer as JSON, or what a fault makes of it. */
export function sendAnswer(response: Response, { status, body }: WireAnswer, fault?: ApiFault) {
  const text = JSON.stringify(body);
  switch (fault?.answer) {
    case undefined:
    case "normal":
      return sendJson(response, status, text);
    case "broken-json":
      return sendJson(response, status, `${text.slice(0, text.length >> 1)},,`);
    case "wrong-envelope":
      return sendJson(response, status, JSON.stringify({ ok: true, result: [body] }));
    case "wrong-id": {
      const other = '"id":"99999999-0000-4000-8000-000000000000"';
      return sendJson(response, status, text.replace(/"id":"[^"]*"/, other));
    }
    case "half-answer":
      return sendHalf(response, status, text);
    case "hang-up":
      return void response.destroy();
    case "429":
      return sendTooMany(response, fault?.retryAfterSeconds ?? 1);
    case "401":
      return sendRefusal(response, REFUSALS.unauthorized());
    case "403":
      return sendRefusal(response, REFUSALS.forbidden("This key may not do that"));
    case "404":
      return sendRefusal(response, REFUSALS.unknownInvoice());
    case "500":
      return sendRefusal(response, REFUSALS.failed());
    default:
      if (fault !== undefined) sendGatewayAnswer(response, fault.answer);
  }
}

export function sendRefusal(response: Response, refusal: Refusal): void {
  sendJson(response, refusal.status, JSON.stringify(refusal));
}

export function sendTooMany(response: Response, retryAfterSeconds: number): void {
  response.setHeader("retry-after", String(retryAfterSeconds));
  sendRefusal(response, REFUSALS.tooMany());
}

/** What something in front of the provider says. */
export function sendGatewayAnswer(response: Response, name: GatewayAnswerName): void {
  const { status, headers, text } = GATEWAY_ANSWERS[name];
  response.writeHead(status, headers).end(text);
}

/** Announces the whole, sends the first half, and hangs up. */
function sendHalf(response: Response, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
  });
  response.write(text.slice(0, text.length >> 1), () => response.destroy());
}

function sendJson(response: Response, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader("content-type", "application/json; charset=utf-8");
  response.setHeader("cache-control", "no-store");
  response.end(text);
}

/** The last handler: what a request did to make itself unreadable is a 4xx, the rest is logged. */
export function answerErrors(log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    const refusal = refusalFor(error);
    if (refusal.status >= 500) log.error({ err: messageOf(error) }, "collection service: request failed");
    if (response.headersSent) response.destroy();
    else sendRefusal(response, refusal);
  };
}

export function refusalFor(error: unknown): Refusal {
  const { status = 500, limit = "fewer", type } = error as { status?: number; limit?: number; type?: string };
  if (status === 413) return REFUSALS.tooLarge(`The request's body should have at most ${limit} bytes`);
  if (type === "entity.parse.failed") return REFUSALS.invalid("The request's body is not JSON");
  if (error instanceof URIError) return REFUSALS.invalid("id should be a UUID");
  if (status >= 400 && status < 500) return REFUSALS.invalid("The request cannot be read");
  return isLostConnection(error) ? REFUSALS.unavailable() : REFUSALS.failed();
}

/** Of two Host headers Node takes the first; a proxy before it may have taken the second. */
export const refuseTwoHosts: RequestHandler = ({ rawHeaders }, response, next) => {
  const hosts = rawHeaders.filter((name, nth) => nth % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length < 2) return next();
  sendRefusal(response, REFUSALS.invalid("The Host header is given more than once"));
};

/** What was no HTTP, or too much of it, never reaches a handler: Node would answer with an empty body. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const refusal = refusalOf(error.code);
  const body = JSON.stringify(refusal);
  socket.end(
    `HTTP/1.1 ${refusal.status} ${REASONS[refusal.status] ?? "Bad Request"}\r\n` +
      "connection: close\r\ncontent-type: application/json; charset=utf-8\r\n" +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

const REASONS: Readonly<Record<number, string>> = {
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};

function refusalOf(code: string | undefined): Refusal {
  if (code === "HPE_HEADER_OVERFLOW")
    return REFUSALS.headersTooLarge("The request's headers should have at most 16 KiB");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return REFUSALS.tooSlow();
  return REFUSALS.invalid("The request is not HTTP");
}
