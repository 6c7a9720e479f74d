import type { ErrorRequestHandler } from "express";
import { isLostConnection } from "../../../kit/postgres-errors.ts";
import { messageOf } from "../../../kit/errors.ts";
import type { Logger } from "../../../kit/log.ts";
import { REFUSALS, type Refusal } from "./refusals.ts";
import { sendRefusal } from "./send-answer.ts";

/** The last handler: what a request did to make itself unreadable is a 4xx, the rest is logged. */
export function answerErrors(log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    const refusal = refusalFor(error);
    if (refusal.status >= 500) log.error({ err: messageOf(error) }, "collection service: request failed");
    if (response.headersSent) response.destroy();
    else sendRefusal(response, refusal);
  };
}

/** The refusal that an error comes to. */
export function refusalFor(error: unknown): Refusal {
  const status =
    typeof error === "object" && error !== null && "status" in error ? Number(error.status) : 500;
  if (status === 413) return REFUSALS.tooLarge(tooLarge(error));
  if (isUnreadableJson(error)) return REFUSALS.invalid("The request's body is not JSON");
  if (error instanceof URIError) return REFUSALS.invalid("id should be a UUID");
  if (status >= 400 && status < 500) return REFUSALS.invalid("The request cannot be read");
  return isLostConnection(error) ? REFUSALS.unavailable() : REFUSALS.failed();
}

function tooLarge(error: unknown): string {
  const limit = typeof error === "object" && error !== null && "limit" in error ? error.limit : "fewer";
  return `The request's body should have at most ${limit} bytes`;
}

const isUnreadableJson = (error: unknown) =>
  typeof error === "object" && error !== null && "type" in error && error.type === "entity.parse.failed";
