import type { Request, RequestHandler } from "express";
import { isLoopback } from "../../../kit/addresses.ts";
import type { Secret } from "../../../kit/secret.ts";
import { REFUSALS } from "../api/refusals.ts";
import { sendRefusal } from "../api/send-answer.ts";

/**
 * Who may use the control side: with a token, whoever sends it as a bearer token; without one, callers on
 * this machine, but not a web page that happens to be open on it.
 */
export function controlGuard(token: Secret | undefined): RequestHandler {
  return (request, response, next) => {
    if (token !== undefined) {
      const [, given = ""] = /^Bearer (\S+)$/i.exec(request.get("authorization") ?? "") ?? [];
      if (token.equals(given)) return next();
      return sendRefusal(response, REFUSALS.unauthorized("authorization is missing or not valid"));
    }
    if (isLoopback(request.socket.remoteAddress) && !isFromWebPage(request)) return next();
    sendRefusal(response, REFUSALS.forbidden("The control side answers callers on this machine only"));
  };
}

/**
 * Another site's page, or one whose name was pointed at this machine: it carries an origin, or a foreign
 * host.
 */
function isFromWebPage(request: Request): boolean {
  const host = (request.get("host") ?? "").replace(/:\d+$/, "").toLowerCase();
  const isLocalName = host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
  return !isLocalName || request.get("origin") !== undefined;
}
