import type { Response } from "express";
import type { ApiFault } from "../faults/faults.ts";
import { REFUSALS, type Refusal } from "./refusals.ts";

export interface WireAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Writes the answer as JSON, or what a fault makes of it. */
export function sendAnswer(response: Response, answer: WireAnswer, fault?: ApiFault): void {
  const text = JSON.stringify(answer.body);
  if (fault === undefined) return sendJson(response, answer.status, text);
  switch (fault.answer) {
    case "normal":
      return sendJson(response, answer.status, text);
    case "broken-json":
      return sendJson(response, answer.status, `${text.slice(0, text.length >> 1)},,`);
    case "wrong-envelope":
      return sendJson(response, answer.status, JSON.stringify({ ok: true, result: [answer.body] }));
    case "half-answer":
      response.writeHead(answer.status, {
        "content-type": "application/json; charset=utf-8",
        "content-length": Buffer.byteLength(text),
      });
      response.write(text.slice(0, text.length >> 1), () => response.destroy());
      return;
    case "hang-up":
      response.destroy();
      return;
    default:
      return sendFaultStatus(response, fault.answer, fault.retryAfterSeconds);
  }
}

export function sendRefusal(response: Response, refusal: Refusal): void {
  sendJson(response, refusal.status, JSON.stringify(refusal));
}

const FAULT_REFUSALS = {
  "401": REFUSALS.unauthorized(),
  "403": REFUSALS.forbidden("This key may not do that"),
  "404": REFUSALS.unknownInvoice(),
  "429": REFUSALS.tooMany(),
  "500": REFUSALS.failed(),
} as const;

function sendFaultStatus(
  response: Response,
  status: keyof typeof FAULT_REFUSALS,
  retryAfterSeconds: number,
): void {
  if (status === "429") response.setHeader("retry-after", String(retryAfterSeconds));
  sendRefusal(response, FAULT_REFUSALS[status]);
}

function sendJson(response: Response, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader("content-type", "application/json; charset=utf-8");
  response.setHeader("cache-control", "no-store");
  response.end(text);
}
