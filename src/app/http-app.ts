import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import { messageOf } from "../kit/errors.ts";
import type { Logger } from "../kit/log.ts";
import { comesFromBrowser } from "../receive/payer-page/comes-from-browser.ts";
import { payerPage } from "../receive/payer-page/payer-page.ts";
import { sendPage } from "../receive/payer-page/send-page.ts";

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
  app.disable("x-powered-by");
  app.disable("etag");
  for (const handler of handlers) app.use(handler);
  app.use((request, response) => {
    response.status(404);
    if (comesFromBrowser(request)) return sendPage(response, payerPage({ state: "nowhere" }));
    response.type("text/plain").send("There is nothing here.\n");
  });
  const onError: ErrorRequestHandler = (error, request, response, next) => {
    if (response.headersSent) return next(error);
    const status = error instanceof URIError || error?.status === 400 ? 400 : 500;
    if (status === 500) log.error({ method: request.method, error: messageOf(error) }, "a request failed");
    response
      .status(status)
      .type("text/plain")
      .send(status === 400 ? "The address is not readable.\n" : "Something went wrong here. Try again.\n");
  };
  app.use(onError);
  return app;
}
