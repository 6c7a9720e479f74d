import type { Request, Response } from "express";

const NAME = "relay-session";

/** Ties the cookie to this host and to https, so that no sibling host can set it. */
const SECURE_NAME = `__Host-${NAME}`;

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

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
    const isHere = LOOPBACK.test(request.hostname ?? "") && request.headers["x-forwarded-for"] === undefined;
    return request.secure || (this.#peopleUseTls && !isHere);
  }
}
