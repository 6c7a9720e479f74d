import { z } from "zod";
import { ROLES } from "../kit/admin-token.ts";
import { time } from "./fields.ts";

export const signInRequest = z.strictObject({
  token: z.string().min(1).max(1_000).describe("One of ADMIN_TOKENS, only the token part."),
});

export const session = z.object({
  name: z.string().describe("The token's name, as in the audit log."),
  role: z.enum(ROLES),
  csrfToken: z.string().describe("Send it as X-CSRF-Token with every request but GET when using the cookie."),
  expiresAt: time.describe("When the session ends without another request; never later than 12 h."),
  operations: z.array(z.string()).describe("The operationIds that this role may use; hide the rest."),
});
export type Session = z.output<typeof session>;

export const signedOut = z.object({ signedOut: z.literal(true) });
