import type { Duplex } from "node:stream";
import type { RequestHandler } from "express";
import { hasTwoHosts } from "../../two-hosts.ts";
import { REFUSALS, type Refusal } from "./refusals.ts";
import { sendRefusal } from "./send-answer.ts";

export const refuseTwoHosts: RequestHandler = (request, response, next) => {
  if (!hasTwoHosts(request)) return next();
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
