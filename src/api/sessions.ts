import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import type { AdminToken } from "../kit/admin-token.ts";

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
  /** When it ends in any case. */
  endsAt: number;
}

interface Keys {
  holder: AdminToken;
  seal: Buffer;
  csrf: Buffer;
}

/**
 * Stateless sessions: the cookie holds the session, sealed with a key derived from the admin token. So any
 * process can read it, and removing a token ends its sessions.
 */
export class Sessions {
  readonly #keys: readonly Keys[];

  constructor(tokens: readonly AdminToken[]) {
    this.#keys = tokens.map((holder) => ({
      holder,
      seal: derived(holder, "session"),
      csrf: derived(holder, "csrf"),
    }));
  }

  begin(holder: AdminToken, now: number): Session {
    const id = randomBytes(16).toString("base64url");
    return { holder, id, expiresAt: now + IDLE_MS, endsAt: now + ABSOLUTE_MS };
  }

  /** The content of the cookie. */
  seal({ holder, id, expiresAt, endsAt }: Session): string {
    const said = `${id}.${expiresAt}.${endsAt}`;
    return `${said}.${macOf(this.#keysOf(holder).seal, said)}`;
  }

  /** @returns null if none of our tokens sealed it; `ended` if it has expired. */
  open(sealed: string, now: number): { session: Session } | { ended: true } | null {
    const [, said = "", id = "", expires = "", ends = "", mac = ""] =
      /^(([\w-]{22})\.(\d{1,15})\.(\d{1,15}))\.([\w-]{43})$/.exec(sealed) ?? [];
    let holder: AdminToken | null = null;
    // Every key is tried, so that timing reveals nothing.
    for (const keys of this.#keys) if (same(macOf(keys.seal, said), mac)) holder = keys.holder;
    if (holder === null || said === "") return null;
    const session = { holder, id, expiresAt: Number(expires), endsAt: Number(ends) };
    // One that would last longer than any may was made before the clock was set back.
    const isOfNow = session.expiresAt <= now + IDLE_MS + RENEWED_AFTER_MS;
    return isOfNow && now < Math.min(session.expiresAt, session.endsAt) ? { session } : { ended: true };
  }

  /** The session as extended by a request at `now`; null while its cookie is fresh enough. */
  renewed(session: Session, now: number): Session | null {
    const expiresAt = Math.min(now + IDLE_MS, session.endsAt);
    return expiresAt - session.expiresAt < RENEWED_AFTER_MS ? null : { ...session, expiresAt };
  }

  /** The CSRF token, which our pages send with each change and no other site can know. */
  csrfTokenOf({ holder, id }: Session): string {
    return macOf(this.#keysOf(holder).csrf, id);
  }

  isCsrfToken(session: Session, given: string): boolean {
    return same(this.csrfTokenOf(session), given);
  }

  #keysOf(holder: AdminToken): Keys {
    const keys = this.#keys.find((one) => one.holder === holder);
    if (keys === undefined) throw new Error("a session of an unknown token");
    return keys;
  }
}

const derived = ({ token }: AdminToken, use: string): Buffer =>
  Buffer.from(hkdfSync("sha256", token.reveal(), "", `invoice-relay console ${use} v1`, 32));

const macOf = (key: Buffer, text: string): string =>
  createHmac("sha256", key).update(text).digest("base64url");

function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
