import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { ErrorRequestHandler, RequestHandler, Response } from "express";
import { type ErrorAnswer, SPECIFIED_MESSAGES } from "../../collection-api/contract/index.ts";
import { messageOf } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";
import { isLostConnection } from "../../kit/postgres-errors.ts";

/**
 * HTTP status, group (`type`: our own words, the interface leaves them open) and message. Where it has none,
 * the first problem is the message, since common clients show nothing else.
 */
const REFUSALS = {
  invalid: [400, "VALIDATION_ERROR"],
  accountRefused: [400, "LINKED_ACCOUNT_REFUSED"],
  unauthorized: [401, "UNAUTHORIZED", "The API key is missing or not valid"],
  forbidden: [403, "FORBIDDEN", "This key may not do that"],
  notFromHere: [403, "FORBIDDEN", "The control side answers callers on this machine only"],
  closedCollection: [403, "COLLECTION_CLOSED"],
  wrongKind: [403, "WRONG_KIND_OF_KEY", "A Test key cannot do that"],
  unknownPath: [404, "NOT_FOUND", "There is nothing at this address"],
  unknownCollection: [404, "NOT_FOUND", "Collection with the given Id does not exist"],
  unknownInvoice: [404, "NOT_FOUND", SPECIFIED_MESSAGES.unknownInvoice],
  wrongMethod: [405, "METHOD_NOT_ALLOWED", "This address does not take that method"],
  tooSlow: [408, "REQUEST_TIMEOUT", "The request took too long to come"],
  ruleBroken: [412, "BUSINESS_RULE_VIOLATION"],
  notPayable: [412, "BUSINESS_RULE_VIOLATION", SPECIFIED_MESSAGES.notPayable],
  tooLarge: [413, "PAYLOAD_TOO_LARGE"],
  tooMany: [429, "TOO_MANY_REQUESTS", "Too many requests, try again later"],
  headersTooLarge: [431, "HEADERS_TOO_LARGE"],
  failed: [500, "INTERNAL_ERROR", "Something went wrong on this side"],
  unavailable: [503, "UNAVAILABLE", "Try again shortly"],
} as const satisfies Record<string, readonly [number, string, string?]>;

/** A request that is refused, with the body of part B; thrown anywhere, answered by `answerErrors`. */
export class Refused extends Error {
  readonly answer: ErrorAnswer;

  /** @param errors each starts with the field's name. */
  constructor(kind: keyof typeof REFUSALS, ...errors: string[]) {
    const [status, type, message = errors[0] ?? ""]: readonly [number, string, string?] = REFUSALS[kind];
    super(message);
    this.answer = { status, message, type, errors };
  }
}

export function sendJson(response: Response, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader("content-type", "application/json; charset=utf-8");
  response.setHeader("cache-control", "no-store");
  response.end(text);
}

export function sendRefusal(response: Response, { answer }: Refused): void {
  sendJson(response, answer.status, JSON.stringify(answer));
}

export function sendTooMany(response: Response, retryAfterSeconds: number): void {
  response.setHeader("retry-after", String(retryAfterSeconds));
  sendRefusal(response, new Refused("tooMany"));
}

/** The last handler: what a request did to make itself unreadable is a 4xx, the rest is logged. */
export function answerErrors(log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    const refused = refusalFor(error);
    if (refused.answer.status >= 500)
      log.error({ err: messageOf(error) }, "collection service: request failed");
    if (response.headersSent) response.destroy();
    else sendRefusal(response, refused);
  };
}

export function refusalFor(error: unknown): Refused {
  if (error instanceof Refused) return error;
  const { status = 500, limit = "fewer", type } = error as { status?: number; limit?: number; type?: string };
  if (status === 413) return new Refused("tooLarge", `The request's body should have at most ${limit} bytes`);
  if (type === "entity.parse.failed") return new Refused("invalid", "The request's body is not JSON");
  if (error instanceof URIError) return new Refused("invalid", "id should be a UUID");
  if (status >= 400 && status < 500) return new Refused("invalid", "The request cannot be read");
  return new Refused(isLostConnection(error) ? "unavailable" : "failed");
}

/** Of two Host headers Node takes the first; a proxy before it may have taken the second. */
export const refuseTwoHosts: RequestHandler = ({ rawHeaders }, _response, next) => {
  const hosts = rawHeaders.filter((name, nth) => nth % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length > 1) throw new Refused("invalid", "The Host header is given more than once");
  next();
};

/** What was no HTTP, or too much of it, never reaches a handler: Node would answer with an empty body. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const { answer } = unreadable(error.code);
  const body = JSON.stringify(answer);
  socket.end(
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n` +
      "connection: close\r\ncontent-type: application/json; charset=utf-8\r\n" +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function unreadable(code: string | undefined): Refused {
  if (code === "HPE_HEADER_OVERFLOW")
    return new Refused("headersTooLarge", "The request's headers should have at most 16 KiB");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new Refused("tooSlow");
  return new Refused("invalid", "The request is not HTTP");
}
