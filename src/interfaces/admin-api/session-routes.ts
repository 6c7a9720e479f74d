import express, { type Request, type RequestHandler, type Response, Router } from "express";
import { type OperationParts, readValue, signInRequest } from "../../operations/index.ts";
import { audit } from "../../platform/audit/index.ts";
import type { AdminToken } from "../../platform/config/index.ts";
import type { Database } from "../../platform/database/index.ts";
import type { Role } from "../../platform/values/index.ts";
import {
  actorOf,
  endSession,
  holderOf,
  isSignedOut,
  type Session,
  SessionCookie,
  Sessions,
} from "./sessions.ts";

interface CallersOptions {
  db: Database;
  tokens: readonly AdminToken[];
  /** Whether people reach the relay by https, on whichever port. */
  peopleUseTls: boolean;
  /** Counts a wrong token. */
  onRefused: () => void;
}

export interface Caller {
  holder: AdminToken;
  /** null for a bearer token. */
  session: Session | null;
}

type Refused = { status: 401 | 403; error: string };

/** A request that no click or key of a person made carries this header. */
const UNATTENDED = "x-unattended";

const FOREIGN = "This request comes from another site.";
const SIGN_IN = "Sign in, or send one of ADMIN_TOKENS as a bearer token.";

/** Authenticates callers: by bearer token, or by session cookie, which no other site may use for changes. */
export class Callers {
  readonly tokens: readonly AdminToken[];
  readonly sessions: Sessions;
  readonly cookie: SessionCookie;
  readonly #db: Database;
  readonly #onRefused: () => void;

  constructor({ db, tokens, peopleUseTls, onRefused }: CallersOptions) {
    this.tokens = tokens;
    this.sessions = new Sessions(tokens);
    this.#db = db;
    this.cookie = new SessionCookie({ peopleUseTls });
    this.#onRefused = onRefused;
  }

  /** Writes the renewed cookie when the session is extended, which takes a person. */
  async callerOf(request: Request, response: Response): Promise<Caller | Refused> {
    const { tokens, sessions, cookie } = this;
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
      const holder = holderOf(tokens, token);
      return holder === null ? this.wrongToken(SIGN_IN) : { holder, session: null };
    }
    const sealed = cookie.read(request);
    if (sealed === null) return this.wrongToken(SIGN_IN);
    const opened = sessions.open(sealed, Date.now());
    if (opened === null || "ended" in opened || (await isSignedOut(this.#db, opened.session.id))) {
      cookie.clear(request, response);
      if (opened === null) return this.wrongToken(SIGN_IN);
      return { status: 401, error: "The session has ended. Sign in again." };
    }
    const { session } = opened;
    if (!["GET", "HEAD"].includes(request.method) && isForeign(request))
      return { status: 403, error: FOREIGN };
    const attended = request.headers[UNATTENDED] === undefined;
    const renewed = attended ? sessions.renewed(session, Date.now()) : null;
    if (renewed !== null) cookie.write(request, response, sessions.seal(renewed));
    return { holder: session.holder, session: renewed ?? session };
  }

  /** Counts a wrong token, and refuses it. */
  wrongToken(error: string): Refused {
    this.#onRefused();
    return { status: 401, error };
  }
}

/** Whether the browser says that another site sent the request. */
function isForeign(request: Request): boolean {
  const site = request.get("sec-fetch-site");
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  // By plain http, and in older browsers, only the origin says it.
  const origin = request.get("origin");
  return origin !== undefined && URL.parse(origin)?.host !== request.host;
}

export const isRefused = (caller: Caller | Refused): caller is Refused => "status" in caller;

interface SessionRoutesOptions {
  parts: OperationParts;
  callers: Callers;
  operationsOf: (role: Role) => string[];
  refuse: (response: Response, refused: Refused) => void;
}

/** `/session`: sign in with a token, who is signed in, sign out. */
export function sessionRoutes(options: SessionRoutesOptions): Router {
  const { callers, refuse, parts } = options;
  const { tokens, sessions, cookie } = callers;
  const routes = Router();

  routes.post("/session", jsonBody("4kb"), async (request, response) => {
    if (isForeign(request)) return refuse(response, { status: 403, error: FOREIGN });
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
    await note(parts.db, holder, "console.sign_in");
    const session = sessions.begin(holder, Date.now());
    cookie.write(request, response, sessions.seal(session));
    response.json(shown(session));
  });

  routes.get("/session", async (request, response) => {
    // Opening the console without a session is not a failed attempt.
    if (request.headers.authorization === undefined && cookie.read(request) === null)
      return refuse(response, { status: 401, error: "Not signed in." });
    const caller = await callers.callerOf(request, response);
    if (isRefused(caller)) return refuse(response, caller);
    if (caller.session === null)
      return refuse(response, { status: 401, error: "A bearer token needs no session." });
    response.json(shown(caller.session));
  });

  routes.delete("/session", async (request: Request, response: Response) => {
    const caller = await callers.callerOf(request, response);
    if (isRefused(caller)) return refuse(response, caller);
    if (caller.session !== null) await endSession(parts.db, caller.session);
    cookie.clear(request, response);
    await note(parts.db, caller.holder, "console.sign_out");
    response.json({ signedOut: true });
  });

  routes.all("/session", methodNotAllowed(["GET", "POST", "DELETE"]));

  const shown = (session: Session) => ({
    name: session.holder.name,
    role: session.holder.role,
    expiresAt: new Date(session.expiresAt),
    operations: options.operationsOf(session.holder.role),
    sources: parts.books.map(({ name, currency }) => ({ name, currency })),
  });
  return routes;
}

const note = (db: Database, holder: AdminToken, action: string) =>
  audit(db, [
    {
      actor: actorOf(holder),
      action,
      subject: holder.name,
      invoiceId: null,
      detail: { role: holder.role },
    },
  ]);

/** Answers a method that an address does not take. @param methods those that it takes */
export function methodNotAllowed(methods: readonly string[]): RequestHandler {
  const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  return (request, response) => {
    const error = `${request.method} is not known here. This address takes ${allowed}.`;
    response.setHeader("allow", allowed).status(405).json({ error, code: "usage" });
  };
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
