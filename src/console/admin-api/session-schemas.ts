import { z } from "zod";
import { ROLES } from "../../kit/admin-token.ts";
import { time } from "./fields.ts";

export const signInRequest = z.strictObject({
  token: z.string().min(1).max(1_000).meta({ description: "One of ADMIN_TOKENS: the token itself." }),
});

export const session = z.object({
  name: z.string().meta({ description: "The token's name, as the audit log calls it." }),
  role: z.enum(ROLES),
  csrfToken: z
    .string()
    .meta({ description: "To be sent as X-CSRF-Token with everything but GET, where the cookie signs in." }),
  expiresAt: time.meta({
    description: "When it ends unless something is asked before; never later than 12 h.",
  }),
  operations: z
    .array(z.string())
    .meta({ description: "The operationIds that this role may use; hide the rest." }),
});
export type Session = z.output<typeof session>;

export const signedOut = z.object({ signedOut: z.literal(true) });
