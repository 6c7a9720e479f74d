import type { AdminToken } from "../kit/admin-token.ts";

/** The holder of this token, or null. Every token is compared in full, so timing reveals nothing. */
export function holderOf(tokens: readonly AdminToken[], given: string): AdminToken | null {
  let holder: AdminToken | null = null;
  for (const one of tokens) if (one.token.equals(given)) holder = one;
  return holder;
}

/** The actor, as the audit log names it. */
export const actorOf = ({ name }: Pick<AdminToken, "name">): string => `admin:${name}`;
