import { type ErrorAnswer, SPECIFIED_MESSAGES } from "../../../collection-api/contract/index.ts";

/** An answer that says no: the body of part B, whose `status` is the HTTP status. */
export type Refusal = ErrorAnswer;

// `type` is our own word for the group (the interface leaves it open); each error starts with the field's
// name.
const refusal =
  (status: number, type: string, message: string) =>
  (...errors: string[]): Refusal => ({ status, message, type, errors });

/** The first problem is the message, since common clients show nothing else. */
const telling =
  (status: number, type: string, message: string) =>
  (...errors: string[]): Refusal => ({ status, message: errors[0] ?? message, type, errors });

export const REFUSALS = {
  invalid: telling(400, "VALIDATION_ERROR", "The request is not valid"),
  accountRefused: telling(400, "LINKED_ACCOUNT_REFUSED", "The account cannot be linked"),
  unauthorized: refusal(401, "UNAUTHORIZED", "The API key is missing or not valid"),
  forbidden: (message: string, ...errors: string[]) => refusal(403, "FORBIDDEN", message)(...errors),
  closedCollection: telling(403, "COLLECTION_CLOSED", "The collection does not take invoices"),
  wrongKind: refusal(403, "WRONG_KIND_OF_KEY", "A Test key cannot do that"),
  unknownPath: refusal(404, "NOT_FOUND", "There is nothing at this address"),
  unknownCollection: refusal(404, "NOT_FOUND", "Collection with the given Id does not exist"),
  unknownInvoice: refusal(404, "NOT_FOUND", SPECIFIED_MESSAGES.unknownInvoice),
  wrongMethod: refusal(405, "METHOD_NOT_ALLOWED", "This address does not take that method"),
  tooSlow: refusal(408, "REQUEST_TIMEOUT", "The request took too long to come"),
  keyReused: telling(409, "IDEMPOTENCY_KEY_REUSED", "The idempotency key was used for another request"),
  ruleBroken: telling(412, "BUSINESS_RULE_VIOLATION", "A rule of business is against it"),
  notPayable: refusal(412, "BUSINESS_RULE_VIOLATION", SPECIFIED_MESSAGES.notPayable),
  tooLarge: telling(413, "PAYLOAD_TOO_LARGE", "The request's body is too large"),
  wrongContentType: telling(415, "UNSUPPORTED_MEDIA_TYPE", "The Content-Type is not taken"),
  tooMany: refusal(429, "TOO_MANY_REQUESTS", "Too many requests, try again later"),
  headersTooLarge: telling(431, "HEADERS_TOO_LARGE", "The request's headers are too large"),
  failed: refusal(500, "INTERNAL_ERROR", "Something went wrong on this side"),
  unavailable: refusal(503, "UNAVAILABLE", "Try again shortly"),
} as const;
