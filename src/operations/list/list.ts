import { z } from "zod";
import { ROLES } from "../../platform/values/index.ts";
import { time } from "./fields.ts";
import { callbackOperations, invoiceOperations } from "./invoices.ts";
import type { OperationShape } from "./operation.ts";
import { bookOperations, proofOperations } from "./proof.ts";
import { replayOperations } from "./replays.ts";
import { recordOperations, statusOperations } from "./status.ts";
import { undeliveredOperations } from "./undelivered.ts";
import { alarmOperations, upstreamOperations } from "./upstreams.ts";

/**
 * Everything that a person may ask or do. The admin API's router and OpenAPI document, the console's client
 * and the commands are made from this list.
 */
export const operations = [
  ...statusOperations,
  ...alarmOperations,
  ...replayOperations,
  ...undeliveredOperations,
  ...upstreamOperations,
  ...invoiceOperations,
  ...callbackOperations,
  ...proofOperations,
  ...bookOperations,
  ...recordOperations,
] as const;

export const signInRequest = z.strictObject({
  token: z.string().min(1).max(1_000).describe("The token part of an entry of ADMIN_TOKENS."),
});

const session = z.object({
  name: z.string().describe("The token's name, as in the audit log."),
  role: z.enum(ROLES),
  expiresAt: time.describe("When the session ends without another request; never later than 12 h."),
  operations: z.array(z.string()).describe("The operationIds that this role may use; hide the rest."),
  sources: z.array(
    z.object({ name: z.string(), currency: z.string().describe("Of all its amounts, ISO 4217.") }),
  ),
});

const shape = <
  const Method extends "get" | "post" | "delete",
  const Path extends string,
  Result extends z.ZodType,
  Body extends z.ZodType | undefined = undefined,
>(
  definition: OperationShape<string, Method, Path, undefined, undefined, Body, Result> & {
    /** Needs neither a token nor a session. */
    open?: true;
  },
) => definition;

/** Operations beyond a plain request and response: sessions, which set cookies. */
export const specialOperations = [
  shape({
    id: "signIn",
    method: "post",
    open: true,
    path: "/session",
    tag: "Session",
    summary: "Sign in with one of ADMIN_TOKENS: sets a cookie",
    body: signInRequest,
    result: session,
  }),
  shape({
    id: "readSession",
    method: "get",
    path: "/session",
    tag: "Session",
    summary: "Show who is signed in",
    result: session,
  }),
  shape({
    id: "signOut",
    method: "delete",
    path: "/session",
    tag: "Session",
    summary: "Sign out: the cookie is cleared",
    result: z.object({ signedOut: z.literal(true) }),
  }),
] as const;
