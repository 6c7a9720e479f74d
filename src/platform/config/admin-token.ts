import { hash } from "node:crypto";
import { readAs } from "../validation/index.ts";
import { type Role, Secret } from "../values/index.ts";

export interface AdminToken {
  /** As the audit log calls its holder. */
  name: string;
  role: Role;
  token: Secret;
}

/** One of ADMIN_TOKENS, `name:role:token`; a token alone may do all, and its name gives none of it away. */
export const adminToken = readAs((text): AdminToken | null => {
  const [, name, role, token = text] =
    /^([a-z0-9][a-z0-9._-]{0,39}):(read|operate|admin):(.+)$/.exec(text) ?? [];
  if (token.includes(":") || !/^\S{22,}$/.test(token)) return null;
  return {
    name: name ?? hash("sha256", token).slice(0, 8),
    role: (role as Role | undefined) ?? "admin",
    token: new Secret(token),
  };
}, "should be name:role:token, the role read, operate or admin, the token 22 or more characters without spaces " +
  "and colons (try: openssl rand -hex 16)").meta({ kind: "name:role:token", secret: true });
