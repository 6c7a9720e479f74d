import { randomUUID } from "node:crypto";
import { TOKEN } from "../../support/relay.ts";

// Events as AWS documents them (Lambda Developer Guide), typed by hand.

interface GatewayRequest {
  method?: string;
  path: string;
  query?: string;
  headers?: Record<string, string>;
  /** As API Gateway gives it: text, or Base64 with `isBase64Encoded`. */
  body?: string;
  isBase64Encoded?: boolean;
}

/** What an HTTP API sends, payload format version 2.0. */
export function gatewayEvent(request: GatewayRequest) {
  const { method = "POST", path, query = "", headers = {}, body, isBase64Encoded = false } = request;
  const domainName = "abc123.execute-api.eu-west-1.amazonaws.com";
  return {
    ...{ version: "2.0", routeKey: "$default", rawPath: path, rawQueryString: query, isBase64Encoded },
    headers: {
      ...{ "content-type": "application/json", host: domainName, "x-forwarded-for": "203.0.113.7" },
      "x-webhook-id": "1b0f1f3e-6b1c-4b0e-8a51-1c0d5e1f2a3b",
      ...headers,
    },
    requestContext: {
      ...{ domainName, requestId: "JKJaXmPLvHcESHA=", routeKey: "$default", stage: "$default" },
      http: { method, path, protocol: "HTTP/1.1", sourceIp: "203.0.113.7", userAgent: "Tranzakt/1.0" },
    },
    ...(body === undefined ? {} : { body }),
  };
}

/** A callback about this invoice, whichever when left out. */
export const callbackEvent = (id: string = randomUUID()) =>
  gatewayEvent({
    path: `/callbacks/${TOKEN}`,
    body: JSON.stringify({ event: "payment.successful", data: { id } }),
  });

/** What EventBridge sends for a schedule, a mapping of a queue, and a subscription of SNS: no function reads it. */
export const scheduleEvent = { "detail-type": "Scheduled Event", source: "aws.events", detail: {} };

export const queueEvent = (bodies: readonly string[]) => ({
  Records: bodies.map((body, index) => ({ messageId: String(index), body, eventSource: "aws:sqs" })),
});

export const topicEvent = (message: string) => ({
  Records: [{ EventSource: "aws:sns", Sns: { Message: message, Type: "Notification" } }],
});

/** The functions that work on the relay's data, by the names that the stack gives them. */
export const FUNCTIONS = ["receive", "confirm", "publish", "reconcile", "certify", "replay", "retention"];
