import { hash } from "node:crypto";
import type { Secret } from "../../kit/secret.ts";

/** Who holds a token, for the audit log: a name that tells tokens apart and gives none away. */
const nameOf = (token: Secret): string => `admin:${hash("sha256", token.reveal()).slice(0, 8)}`;

/** The bearer tokens that open the admin API. Every one is compared in full, so the time tells nothing. */
export class AdminTokens {
  readonly #tokens: readonly { token: Secret; name: string }[];

  constructor(tokens: readonly Secret[]) {
    this.#tokens = tokens.map((token) => ({ token, name: nameOf(token) }));
  }

  /** @returns the name of whoever sent this `Authorization` header, null when its token is none of ours. */
  actorOf(authorization: string | undefined): string | null {
    const given = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "";
    let actor: string | null = null;
    for (const { token, name } of this.#tokens) {
      if (token.equals(given)) actor = name;
    }
    return actor;
  }
}
