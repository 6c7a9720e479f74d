import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import type { Request, Response } from "express";
import { sql } from "kysely";
import type { AdminToken } from "../../platform/config/index.ts";
import { type Database, returned, type Slots, Statement } from "../../platform/database/index.ts";
import { isLoopbackHost } from "../../platform/http/index.ts";

/** How long a session lasts after its last request, and at most after signing in, in ms. */
export const IDLE_MS = 30 * 60_000;
export const ABSOLUTE_MS = 12 * 3_600_000;

/** A cookie younger than this, in ms, is not renewed. */
const RENEWED_AFTER_MS = 60_000;

export interface Session {
  holder: AdminToken;
  /** Random; identifies only the session. */
  id: string;
  /** When it ends without another request, in ms since the epoch. */
  expiresAt: number;
  endsAt: number;
}

interface Key {
  holder: AdminToken;
  seal: Buffer;
}

/**
 * Stateless sessions: the cookie holds the session, sealed with a key derived from the admin token. So any
 * process can read it, and removing a token ends its sessions.
 */
export class Sessions {
  readonly #keys: readonly Key[];

  constructor(tokens: readonly AdminToken[]) {
    this.#keys = tokens.map((holder) => ({ holder, seal: derived(holder) }));
  }

  begin(holder: AdminToken, now: number): Session {
    const id = randomBytes(16).toString("base64url");
    return { holder, id, expiresAt: now + IDLE_MS, endsAt: now + ABSOLUTE_MS };
  }

  /** The content of the cookie. */
  seal({ holder, id, expiresAt, endsAt }: Session): string {
    const said = `${id}.${expiresAt}.${endsAt}`;
    return `${said}.${macOf(derived(holder), said)}`;
  }

  /** @returns null if none of our tokens sealed it; `ended` if it has expired. */
  open(sealed: string, now: number): { session: Session } | { ended: true } | null {
    const [, said = "", id = "", expires = "", ends = "", mac = ""] =
      /^(([\w-]{22})\.(\d{1,15})\.(\d{1,15}))\.([\w-]{43})$/.exec(sealed) ?? [];
    let holder: AdminToken | null = null;
    // Every key is tried, so that timing reveals nothing.
    for (const key of this.#keys) if (same(macOf(key.seal, said), mac)) holder = key.holder;
    if (holder === null || said === "") return null;
    const session = { holder, id, expiresAt: Number(expires), endsAt: Number(ends) };
    return now < Math.min(session.expiresAt, session.endsAt) ? { session } : { ended: true };
  }

  /** The session as extended by a request at `now`; null while its cookie is fresh enough. */
  renewed(session: Session, now: number): Session | null {
    const expiresAt = Math.min(now + IDLE_MS, session.endsAt);
    return expiresAt - session.expiresAt < RENEWED_AFTER_MS ? null : { ...session, expiresAt };
  }
}

const derived = ({ token }: AdminToken): Buffer =>
  Buffer.from(hkdfSync("sha256", token.reveal(), "", "invoice-relay console session v1", 32));

const macOf = (key: Buffer, text: string): string =>
  createHmac("sha256", key).update(text).digest("base64url");

function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The holder of this token, or null. Every token is compared in full, so timing reveals nothing. */
export function holderOf(tokens: readonly AdminToken[], given: string): AdminToken | null {
  let holder: AdminToken | null = null;
  for (const one of tokens) if (one.token.equals(given)) holder = one;
  return holder;
}

export const actorOf = ({ name }: Pick<AdminToken, "name">): string => `admin:${name}`;

type EndedSession = Pick<Session, "id" | "endsAt">;

const insertEnded = new Statement(
  {},
  ({ value }: Slots<EndedSession>) => sql`
    with over as (delete from ended_session where ends_at < clock_timestamp())
    insert into ended_session (id, ends_at)
    values (${value(({ id }) => id)}, to_timestamp(${value(({ endsAt }) => endsAt)}::float8 / 1000))
    on conflict do nothing`,
);

const selectEnded = new Statement(
  { ended: returned.boolean },
  ({ value }: Slots<string>) =>
    sql`select exists (select from ended_session where id = ${value((id) => id)}) as ended`,
);

/** Until its regular end a copy of its cookie opens nothing, in any process. */
export const endSession = (db: Database, { id, endsAt }: EndedSession) =>
  insertEnded.execute(db, { id, endsAt });

/** Whether it was signed out of. @throws the database's error */
export async function isSignedOut(db: Database, id: string): Promise<boolean> {
  const [row] = await selectEnded.execute(db, id);
  return row?.ended === true;
}

const NAME = "relay-session";

/** Ties the cookie to this host and to https, so that no sibling host can set it. */
const SECURE_NAME = `__Host-${NAME}`;

/**
 * The cookie of a session: for this host only, hidden from scripts, never sent by other sites.
 * @param peopleUseTls whether browsers use https, except on this machine
 */
export class SessionCookie {
  readonly #peopleUseTls: boolean;

  constructor({ peopleUseTls }: { peopleUseTls: boolean }) {
    this.#peopleUseTls = peopleUseTls;
  }

  /** Whether the browser would drop it: it is for https, and the page was loaded by plain http. */
  wouldBeLost(request: Request): boolean {
    return this.#isSecure(request) && /^http:/i.test(request.get("origin") ?? "");
  }

  /** @returns null when the request has none. */
  read(request: Request): string | null {
    const name = this.#nameFor(request);
    for (const pair of (request.headers.cookie ?? "").split(";")) {
      const [key, value = ""] = pair.trim().split("=", 2);
      if (key === name) return value;
    }
    return null;
  }

  write(request: Request, response: Response, value: string): void {
    response.cookie(this.#nameFor(request), value, this.#attributes(request));
  }

  clear(request: Request, response: Response): void {
    response.clearCookie(this.#nameFor(request), this.#attributes(request));
  }

  #attributes(request: Request) {
    return { httpOnly: true, sameSite: "strict", path: "/", secure: this.#isSecure(request) } as const;
  }

  #nameFor(request: Request): string {
    return this.#isSecure(request) ? SECURE_NAME : NAME;
  }

  /** A browser on this machine (perhaps through a tunnel) may use plain http even where others may not. */
  #isSecure(request: Request): boolean {
    const isHere = isLoopbackHost(request.hostname ?? "") && request.headers["x-forwarded-for"] === undefined;
    return request.secure || (this.#peopleUseTls && !isHere);
  }
}
