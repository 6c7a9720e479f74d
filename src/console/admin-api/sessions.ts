import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import type { AdminToken } from "../../kit/admin-token.ts";

/** A session ends so long after its last request, and so long after signing in whatever happens; in ms. */
export const IDLE_MS = 30 * 60_000;
export const ABSOLUTE_MS = 12 * 3_600_000;

/** A cookie younger than this is not written anew. */
const RENEWED_AFTER_MS = 60_000;

export interface Session {
  holder: AdminToken;
  /** Random; nothing else is known by it. */
  id: string;
  /** When it ends unless something is asked before, in ms of the epoch. */
  expiresAt: number;
  /** When it ends whatever happens. */
  endsAt: number;
}

interface Keys {
  holder: AdminToken;
  seal: Buffer;
  csrf: Buffer;
}

/**
 * Sessions that no process keeps: a cookie holds one, sealed with a key that is derived from the admin token
 * itself. So any process can read it, and a token that is taken away takes its sessions along.
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

  /** What the cookie holds. */
  seal({ holder, id, expiresAt, endsAt }: Session): string {
    const said = `${id}.${expiresAt}.${endsAt}`;
    return `${said}.${macOf(this.#keysOf(holder).seal, said)}`;
  }

  /** @returns null for what none of our tokens sealed; `ended` tells one that was. */
  open(sealed: string, now: number): { session: Session } | { ended: true } | null {
    const [, said = "", id = "", expires = "", ends = "", mac = ""] =
      /^(([\w-]{22})\.(\d{1,15})\.(\d{1,15}))\.([\w-]{43})$/.exec(sealed) ?? [];
    let holder: AdminToken | null = null;
    // Every key is tried, so that the time tells nothing.
    for (const keys of this.#keys) if (same(macOf(keys.seal, said), mac)) holder = keys.holder;
    if (holder === null || said === "") return null;
    const session = { holder, id, expiresAt: Number(expires), endsAt: Number(ends) };
    return now < Math.min(session.expiresAt, session.endsAt) ? { session } : { ended: true };
  }

  /** The session as a request at `now` prolongs it; null while its cookie is fresh enough. */
  renewed(session: Session, now: number): Session | null {
    const expiresAt = Math.min(now + IDLE_MS, session.endsAt);
    return expiresAt - session.expiresAt < RENEWED_AFTER_MS ? null : { ...session, expiresAt };
  }

  /** What a page of ours sends along with each change, and no other site can know. */
  csrfTokenOf({ holder, id }: Session): string {
    return macOf(this.#keysOf(holder).csrf, id);
  }

  isCsrfToken(session: Session, given: string): boolean {
    return same(this.csrfTokenOf(session), given);
  }

  #keysOf(holder: AdminToken): Keys {
    const keys = this.#keys.find((one) => one.holder === holder);
    if (keys === undefined) throw new Error("a session of a token that is not known here");
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
