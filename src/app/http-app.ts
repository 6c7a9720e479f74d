import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import { faultOf } from "../kit/fault.ts";
import { newId } from "../kit/ids.ts";
import type { Logger } from "../kit/log.ts";
import { comesFromBrowser, payerPage, sendPage } from "../receive/payer-page/payer-page.ts";

/** More than stand before any relay: a stranger who writes thousands has no more of them looked at. */
const MOST_PROXIES = 16;

/**
 * The Express app around the given handlers, routers among them. What none of them knows gets 404; what
 * breaks is logged without the URL, which may hold a token.
 * @param trustedProxies addresses whose X-Forwarded-For is believed.
 */
export function httpApp(
  handlers: readonly RequestHandler[],
  log: Logger,
  trustedProxies: readonly string[] = [],
): Express {
  const app = express();
  app.set("trust proxy", [...trustedProxies]);
  const isTrusted = app.get("trust proxy fn") as (address: string, hop: number) => boolean;
  app.set("trust proxy", (address: string, hop: number) => hop < MOST_PROXIES && isTrusted(address, hop));
  app.disable("x-powered-by");
  app.disable("etag");
  for (const handler of handlers) app.use(handler);
  app.use((request, response) => {
    response.status(404);
    if (comesFromBrowser(request)) return sendPage(response, payerPage({ state: "nowhere" }));
    response.type("text/plain").send("There is nothing here.\n");
  });
  const onError: ErrorRequestHandler = (error, request, response, _next) => {
    if (response.headersSent) {
      // The rest cannot follow, and whoever reads must notice. Express would print the error as it is.
      log.warn({ method: request.method, ...faultOf(error) }, "an answer broke off");
      return void request.socket.destroy();
    }
    const status = error instanceof URIError ? 400 : senderFaultOf(error);
    if (status !== null) return void response.status(status).type("text/plain").send(wordsFor(status));
    const requestId = newId();
    log.error({ requestId, method: request.method, ...faultOf(error) }, "a request failed");
    response.status(500).setHeader("x-request-id", requestId);
    response.type("text/plain").send(`Something went wrong here. Try again. Request ${requestId}\n`);
  };
  app.use(onError);
  return app;
}

/** The status that a package under us gives a request which its sender got wrong; null for all else. */
function senderFaultOf(error: unknown): number | null {
  const status = error instanceof Error && "status" in error ? error.status : null;
  return typeof status === "number" && status >= 400 && status < 500 ? status : null;
}

const wordsFor = (status: number): string =>
  status === 400 ? "The address is not readable.\n" : "The request cannot be answered as it was sent.\n";

const A_YEAR = "max-age=31536000";

/**
 * Sets the headers that every answer carries, and refuses a request with two Host headers: each proxy on the
 * way may have believed another one.
 * @param options.behindTls whether browsers reach this listener by https only.
 */
export function protectAnswers({ behindTls }: { behindTls: boolean }): RequestHandler {
  return (request, response, next) => {
    response.setHeader("x-content-type-options", "nosniff");
    if (behindTls) response.setHeader("strict-transport-security", A_YEAR);
    if (hostsIn(request.rawHeaders) <= 1) return next();
    response.status(400).setHeader("connection", "close");
    response.type("text/plain").send("A request names one Host.\n");
  };
}

/**
 * @param rawHeaders as Node lists them: names and values in turn. `headers` would keep only the first Host.
 */
function hostsIn(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts;
}

/** For every route after the callbacks': whoever shows no callback token must not hold a connection. */
export const closeAfterAnswer: RequestHandler = (_request, response, next) => {
  response.setHeader("connection", "close");
  next();
};
