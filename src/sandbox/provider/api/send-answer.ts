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
  switch (fault?.answer ?? "normal") {
    case "normal":
      sendJson(response, answer.status, text);
      break;
    case "broken-json":
      sendJson(response, answer.status, `${text.slice(0, text.length >> 1)},,`);
      break;
    case "wrong-envelope":
      sendJson(response, answer.status, JSON.stringify({ ok: true, result: [answer.body] }));
      break;
    case "half-answer":
      sendHalf(response, answer.status, text);
      break;
    case "hang-up":
      response.destroy();
      break;
    default:
      if (fault !== undefined) sendFaultStatus(response, fault);
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

type FaultStatus = keyof typeof FAULT_REFUSALS;

function sendFaultStatus(response: Response, { answer, retryAfterSeconds }: ApiFault): void {
  if (answer === "429") response.setHeader("retry-after", String(retryAfterSeconds));
  sendRefusal(
    response,
    Object.hasOwn(FAULT_REFUSALS, answer) ? FAULT_REFUSALS[answer as FaultStatus] : REFUSALS.failed(),
  );
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
