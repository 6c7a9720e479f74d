import express, { type Request, type RequestHandler, type Response, Router } from "express";
import { audit } from "../alarms/audit.ts";
import type { Database } from "../database/tables.ts";
import type { AdminToken, Role } from "../kit/admin-token.ts";
import { faultOf } from "../kit/errors.ts";
import type { Logger } from "../kit/log.ts";
import { readValue } from "../operate/operations/bad-input.ts";
import { signInRequest } from "../operate/operations/list.ts";
import { type Callers, isForeign, isRefused, type Refused } from "./callers.ts";
import {
  actorOf,
  type EndedSessions,
  holderOf,
  type Session,
  type SessionCookie,
  type Sessions,
} from "./sessions.ts";

interface SessionRoutesOptions {
  db: Database;
  tokens: readonly AdminToken[];
  callers: Callers;
  sessions: Sessions;
  ended: EndedSessions;
  cookie: SessionCookie;
  operationsOf: (role: Role) => string[];
  refuse: (response: Response, refused: Refused) => void;
  log: Logger;
}

/** `/session`: sign in with a token, who is signed in, sign out. */
export function sessionRoutes(options: SessionRoutesOptions): Router {
  const { tokens, callers, sessions, ended, cookie, refuse } = options;
  const routes = Router();

  routes.post("/session", jsonBody("4kb"), async (request, response) => {
    if (isForeign(request))
      return refuse(response, { status: 403, error: "This request comes from another site." });
    if (cookie.wouldBeLost(request))
      return refuse(response, {
        status: 403,
        error:
          "Sign in by https, or at localhost (through a tunnel): by plain http anybody on the way " +
          "reads along.",
      });
    const { token } = readValue(signInRequest, request.body ?? {});
    const holder = holderOf(tokens, token.trim());
    if (holder === null) return refuse(response, callers.wrongToken("This token is not in ADMIN_TOKENS."));
    const session = sessions.begin(holder, Date.now());
    cookie.write(request, response, sessions.seal(session));
    await note(options, holder, "console.sign_in");
    response.json(shown(session));
  });

  routes.get("/session", async (request, response) => {
    // Opening the console without a session is not a failed attempt.
    if (request.headers.authorization === undefined && cookie.read(request) === null)
      return refuse(response, { status: 401, error: "Not signed in." });
    const caller = await callers.callerOf(request, response, { prolong: true });
    if (isRefused(caller)) return refuse(response, caller);
    if (caller.session === null)
      return refuse(response, { status: 401, error: "A bearer token has no session and needs none." });
    response.json(shown(caller.session));
  });

  routes.delete("/session", async (request: Request, response: Response) => {
    const caller = await callers.callerOf(request, response, { prolong: false });
    if (isRefused(caller)) return refuse(response, caller);
    if (caller.session !== null) await ended.end(caller.session);
    cookie.clear(request, response);
    await note(options, caller.holder, "console.sign_out");
    response.json({ signedOut: true });
  });

  const shown = (session: Session) => ({
    name: session.holder.name,
    role: session.holder.role,
    csrfToken: sessions.csrfTokenOf(session),
    expiresAt: new Date(session.expiresAt),
    operations: options.operationsOf(session.holder.role),
  });
  return routes;
}

/** Signing in works without Postgres: that is when people need the console most. */
async function note({ db, log }: SessionRoutesOptions, holder: AdminToken, action: string): Promise<void> {
  const { name, role } = holder;
  try {
    await audit(db, [{ actor: actorOf(holder), action, subject: name, invoiceId: null, detail: { role } }]);
  } catch (error) {
    log.warn({ action, ...faultOf(error) }, "an audit entry could not be written");
  }
}

/**
 * Reads a JSON body of at most `limit`; that of a GET says nothing. Any other body gets 415: it would be
 * taken for an empty one, and a dry run for an order to do it.
 */
export function jsonBody(limit: string): RequestHandler {
  const read = express.json({ limit });
  return (request, response, next) => {
    if (request.method === "GET") return next();
    const isEmpty = request.headers["content-length"] === "0";
    // `is` says null where there is no body.
    if (isEmpty || request.is("json") !== false) return read(request, response, next);
    const error = "Send the body as JSON, with the header Content-Type: application/json.";
    response.status(415).json({ error });
  };
}
