import type { Response } from "express";
import { Refused, sendJson, sendRefusal, sendTooMany } from "../refusals.ts";

type Send = (response: Response, retryAfterSeconds: number) => void;

/** What comes when the provider itself was never reached: none of it is in the provider's envelope. */
const gateway =
  (status: number, text = "", headers: Record<string, string> = {}): Send =>
  (response) =>
    void response.writeHead(status, headers).end(text);

const html = (status: number, title: string, headers: Record<string, string> = {}) =>
  gateway(
    status,
    `<!DOCTYPE html>\n<html><head><title>${title}</title></head>\n` +
      `<body><h1>${title}</h1><hr>gateway</body></html>\n`,
    { "content-type": "text/html; charset=utf-8", ...headers },
  );

const GATEWAY_ANSWERS = {
  "bare-404": gateway(404),
  "html-404": html(404, "404 Not Found"),
  "json-404": gateway(404, '{"message":"no Route matched with those values"}', {
    "content-type": "application/json",
  }),
  "html-403": html(403, "Request blocked"),
  "html-200": html(200, "We will be back soon"),
  "html-502": html(502, "502 Bad Gateway"),
  "html-503": html(503, "503 Service Unavailable", { "retry-after": "1" }),
  "empty-200": gateway(200),
  "no-content": gateway(204),
  redirect: gateway(302, "", { location: "/login" }),
};

const refuse =
  (...refusal: ConstructorParameters<typeof Refused>): Send =>
  (response) =>
    sendRefusal(response, new Refused(...refusal));

/** What is answered instead of anything that the operation could say. */
const INSTEAD = {
  "429": sendTooMany,
  "500": refuse("failed"),
  "401": refuse("unauthorized"),
  "403": refuse("forbidden"),
  "404": refuse("unknownInvoice"),
  "hang-up": (response) => void response.destroy(),
  ...GATEWAY_ANSWERS,
} satisfies Record<string, Send>;

const firstHalf = (text: string) => text.slice(0, text.length >> 1);

/** What becomes of the operation's own answer. */
const SPOILED = {
  normal: (text) => text,
  "broken-json": (text) => `${firstHalf(text)},,`,
  "wrong-envelope": (text) => `{"ok":true,"result":[${text}]}`,
  "wrong-id": (text) => text.replace(/"id":"[^"]*"/, '"id":"99999999-0000-4000-8000-000000000000"'),
} satisfies Record<string, (text: string) => string>;

/** What the API may answer on request. */
export const API_ANSWERS = [...keysOf(SPOILED), "half-answer", ...keysOf(INSTEAD)] as const;

interface AnswerFault {
  readonly answer: (typeof API_ANSWERS)[number];
  readonly retryAfterSeconds?: number;
}

function keysOf<Table extends object>(table: Table) {
  return Object.keys(table) as (keyof Table)[];
}

function isIn<Table extends object>(table: Table, name: PropertyKey): name is keyof Table {
  return Object.hasOwn(table, name);
}

/** Whether the fault knows its answer before the operation is carried out. */
export const needsNoWork = ({ answer }: AnswerFault): boolean => isIn(INSTEAD, answer);

/** Writes the operation's answer as JSON, or what a fault makes of it. */
export function sendAnswer(response: Response, status: number, body: unknown, fault?: AnswerFault): void {
  const { answer = "normal", retryAfterSeconds = 1 } = fault ?? {};
  const text = JSON.stringify(body);
  if (isIn(INSTEAD, answer)) INSTEAD[answer](response, retryAfterSeconds);
  else if (isIn(SPOILED, answer)) sendJson(response, status, SPOILED[answer](text));
  else {
    // The whole is announced, and the connection ends half-way.
    response.setHeader("content-type", "application/json; charset=utf-8");
    response.setHeader("content-length", Buffer.byteLength(text));
    response.writeHead(status).write(firstHalf(text), () => response.destroy());
  }
}
