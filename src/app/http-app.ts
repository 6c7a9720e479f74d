import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import { messageOf } from "../kit/errors.ts";
import type { Logger } from "../kit/log.ts";
import { comesFromBrowser } from "../receive/payer-page/comes-from-browser.ts";
import { payerPage } from "../receive/payer-page/payer-page.ts";
import { sendPage } from "../receive/payer-page/send-page.ts";

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
      log.warn({ method: request.method, error: messageOf(error) }, "an answer broke off");
      return void request.socket.destroy();
    }
    const status = error instanceof URIError ? 400 : senderFaultOf(error);
    if (status === null) log.error({ method: request.method, error: messageOf(error) }, "a request failed");
    response
      .status(status ?? 500)
      .type("text/plain")
      .send(wordsFor(status));
  };
  app.use(onError);
  return app;
}

/** The status that a package under us gives a request which its sender got wrong; null for all else. */
function senderFaultOf(error: unknown): number | null {
  const status = error instanceof Error && "status" in error ? error.status : null;
  return typeof status === "number" && status >= 400 && status < 500 ? status : null;
}

function wordsFor(status: number | null): string {
  if (status === null) return "Something went wrong here. Try again.\n";
  if (status === 400) return "The address is not readable.\n";
  return "The request cannot be answered as it was sent.\n";
}
