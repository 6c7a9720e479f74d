import type { AdminToken } from "../../kit/admin-token.ts";

/** Who of them holds this token; null for none. Every one is compared in full, so the time tells nothing. */
export function holderOf(tokens: readonly AdminToken[], given: string): AdminToken | null {
  let holder: AdminToken | null = null;
  for (const one of tokens) if (one.token.equals(given)) holder = one;
  return holder;
}

/** Who did something, as the audit log calls them. */
export const actorOf = ({ name }: Pick<AdminToken, "name">): string => `admin:${name}`;
