import type { Request, Response } from "express";
import type { AdminToken } from "../kit/admin-token.ts";
import { type EndedSessions, holderOf, type Session, type SessionCookie, type Sessions } from "./sessions.ts";

interface CallersOptions {
  tokens: readonly AdminToken[];
  sessions: Sessions;
  ended: EndedSessions;
  cookie: SessionCookie;
  /** Counts a wrong token. */
  onRefused: () => void;
}

export interface Caller {
  holder: AdminToken;
  /** null for a bearer token. */
  session: Session | null;
}

export type Refused = { status: 401 | 403 | 503; error: string };

/** A request that no click or key of a person made carries this header. */
const UNATTENDED = "x-unattended";

const SIGN_IN = "Sign in, or send one of ADMIN_TOKENS as a bearer token.";

/** Authenticates callers: by bearer token, or by session cookie, which needs a CSRF token for changes. */
export class Callers {
  readonly #options: CallersOptions;

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /**
   * @param prolong writes the renewed cookie when the session is extended, which takes a person: what a page
   * asks by itself is marked with UNATTENDED.
   */
  async callerOf(
    request: Request,
    response: Response,
    { prolong }: { prolong: boolean },
  ): Promise<Caller | Refused> {
    const { tokens, sessions, ended, cookie } = this.#options;
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
      const holder = holderOf(tokens, token);
      return holder === null ? this.wrongToken(SIGN_IN) : { holder, session: null };
    }
    const sealed = cookie.read(request);
    if (sealed === null) return this.wrongToken(SIGN_IN);
    const opened = sessions.open(sealed, Date.now());
    const isOver = opened === null || "ended" in opened || (await ended.has(opened.session.id));
    if (isOver === null)
      return { status: 503, error: "Whether the session has ended cannot be told just now. Try again." };
    if (opened === null || "ended" in opened || isOver) {
      cookie.clear(request, response);
      if (opened === null) return this.wrongToken(SIGN_IN);
      return { status: 401, error: "The session has ended. Sign in again." };
    }
    const { session } = opened;
    if (!["GET", "HEAD"].includes(request.method)) {
      const why = isForeign(request)
        ? "This request comes from another site."
        : sessions.isCsrfToken(session, request.get("x-csrf-token") ?? "")
          ? null
          : "Send the session's csrfToken as X-CSRF-Token.";
      if (why !== null) return { status: 403, error: why };
    }
    const attended = prolong && request.headers[UNATTENDED] === undefined;
    const renewed = attended ? sessions.renewed(session, Date.now()) : null;
    if (renewed !== null) cookie.write(request, response, sessions.seal(renewed));
    return { holder: session.holder, session: renewed ?? session };
  }

  /** Counts a wrong token, and refuses it. */
  wrongToken(error: string): Refused {
    this.#options.onRefused();
    return { status: 401, error };
  }
}

/** Whether the browser says that another site sent the request. */
export const isForeign = (request: Request): boolean =>
  !["same-origin", "none", undefined].includes(request.get("sec-fetch-site"));

export const isRefused = (caller: Caller | Refused): caller is Refused => "status" in caller;
