import { z } from "zod";
import { ROLES } from "../../kit/admin-token.ts";
import { time } from "./fields.ts";

export const signInRequest = z.strictObject({
  token: z.string().min(1).max(1_000).meta({ description: "One of ADMIN_TOKENS, only the token part." }),
});

export const session = z.object({
  name: z.string().meta({ description: "The token's name, as in the audit log." }),
  role: z.enum(ROLES),
  csrfToken: z
    .string()
    .meta({ description: "Send it as X-CSRF-Token with every request but GET when using the cookie." }),
  expiresAt: time.meta({
    description: "When the session ends without another request; never later than 12 h.",
  }),
  operations: z
    .array(z.string())
    .meta({ description: "The operationIds that this role may use; hide the rest." }),
});
export type Session = z.output<typeof session>;

export const signedOut = z.object({ signedOut: z.literal(true) });
