import type { Response } from "express";
import type { ApiFault } from "../faults/api-faults.ts";
import { GATEWAY_ANSWERS, type GatewayAnswerName, isGatewayAnswer } from "../faults/gateway-answers.ts";
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
    case "wrong-id":
      sendJson(
        response,
        answer.status,
        text.replace(/"id":"[^"]*"/, '"id":"99999999-0000-4000-8000-000000000000"'),
      );
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

export function sendTooMany(response: Response, retryAfterSeconds: number): void {
  response.setHeader("retry-after", String(retryAfterSeconds));
  sendRefusal(response, REFUSALS.tooMany());
}

/** What something in front of the provider says. */
export function sendGatewayAnswer(response: Response, name: GatewayAnswerName): void {
  const { status, headers, text } = GATEWAY_ANSWERS[name];
  response.writeHead(status, headers).end(text);
}

const FAULT_REFUSALS: Readonly<Record<string, Refusal>> = {
  "401": REFUSALS.unauthorized(),
  "403": REFUSALS.forbidden("This key may not do that"),
  "404": REFUSALS.unknownInvoice(),
};

function sendFaultStatus(response: Response, { answer, retryAfterSeconds }: ApiFault): void {
  if (isGatewayAnswer(answer)) sendGatewayAnswer(response, answer);
  else if (answer === "429") sendTooMany(response, retryAfterSeconds);
  else sendRefusal(response, FAULT_REFUSALS[answer] ?? REFUSALS.failed());
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
