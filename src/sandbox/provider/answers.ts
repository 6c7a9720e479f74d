import type { ErrorRequestHandler, Response } from "express";
import { isLostConnection, messageOf } from "../../platform/errors/index.ts";
import type { Logger } from "../../platform/log/index.ts";
import { type ErrorAnswer, SPECIFIED_MESSAGES } from "../../provider/index.ts";

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
  ruleBroken: [412, "BUSINESS_RULE_VIOLATION"],
  notPayable: [412, "BUSINESS_RULE_VIOLATION", SPECIFIED_MESSAGES.notPayable],
  tooLarge: [413, "PAYLOAD_TOO_LARGE"],
  tooMany: [429, "TOO_MANY_REQUESTS", "Too many requests, try again later"],
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

function sendJson(response: Response, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader("content-type", "application/json; charset=utf-8");
  response.setHeader("cache-control", "no-store");
  response.end(text);
}

function sendRefusal(response: Response, { answer }: Refused): void {
  sendJson(response, answer.status, JSON.stringify(answer));
}

/** The last handler: requests that are themselves unreadable get a 4xx, other errors are logged. */
export function answerErrors(log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    const refused = refusalFor(error);
    if (refused.answer.status >= 500)
      log.error({ err: messageOf(error) }, "collection service: request failed");
    if (response.headersSent) response.destroy();
    else sendRefusal(response, refused);
  };
}

function refusalFor(error: unknown): Refused {
  if (error instanceof Refused) return error;
  const { status = 500, limit = "fewer", type } = error as { status?: number; limit?: number; type?: string };
  if (status === 413) return new Refused("tooLarge", `The request's body should have at most ${limit} bytes`);
  if (type === "entity.parse.failed") return new Refused("invalid", "The request's body is not JSON");
  if (error instanceof URIError) return new Refused("invalid", "id should be a UUID");
  if (status >= 400 && status < 500) return new Refused("invalid", "The request cannot be read");
  return new Refused(isLostConnection(error) ? "unavailable" : "failed");
}

/** Answers that come in place of the operation's own. */
const INSTEAD = {
  "429": "tooMany",
  "500": "failed",
  "401": "unauthorized",
  "403": "forbidden",
  "404": "unknownInvoice",
  "503": "unavailable",
} as const;

/** The answers that the API may give on request: refusals, a cut connection, spoiled answers. */
export const API_ANSWERS = [
  ...(Object.keys(INSTEAD) as (keyof typeof INSTEAD)[]),
  ...(["normal", "hang-up", "broken-json", "wrong-id"] as const),
] as const;

type ApiAnswer = (typeof API_ANSWERS)[number];

/** Whether a fault knows its answer before the operation is carried out. */
export const needsNoWork = (answer: ApiAnswer): boolean => isInstead(answer) || answer === "hang-up";

const isInstead = (answer: ApiAnswer): answer is keyof typeof INSTEAD => answer in INSTEAD;

/** Writes the operation's answer as JSON, or as a fault changes it. */
export function sendAnswer(response: Response, status: number, body: unknown, answer: ApiAnswer): void {
  if (answer === "hang-up") return void response.destroy();
  if (isInstead(answer)) {
    if (answer === "429") response.setHeader("retry-after", "1");
    return void sendRefusal(response, new Refused(INSTEAD[answer]));
  }
  let text = JSON.stringify(body);
  if (answer === "broken-json") text = `${text.slice(0, text.length >> 1)},,`;
  if (answer === "wrong-id")
    text = text.replace(/"id":"[^"]*"/, '"id":"99999999-0000-4000-8000-000000000000"');
  sendJson(response, status, text);
}
