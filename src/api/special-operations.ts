import { z } from "zod";
import { activity, happening } from "./activity-schemas.ts";
import type { OperationShape } from "./operation.ts";
import { session, signedOut, signInRequest } from "./session-schemas.ts";
import { status } from "./status-schemas.ts";

type Shape = Omit<OperationShape<z.ZodObject, z.ZodObject, z.ZodType>, "method"> & {
  method: "get" | "post" | "delete";
  /** Needs neither a token nor a session. */
  open?: true;
};

/** What is not a plain request and response: sessions, which set cookies, and the event stream. */
export const specialOperations: readonly Shape[] = [
  {
    id: "signIn",
    method: "post",
    open: true,
    path: "/session",
    tag: "Session",
    summary: "Sign in with one of ADMIN_TOKENS: sets a cookie and returns a CSRF token",
    body: signInRequest,
    result: session,
  },
  {
    id: "readSession",
    method: "get",
    path: "/session",
    tag: "Session",
    summary: "Show who is signed in",
    result: session,
  },
  {
    id: "signOut",
    method: "delete",
    path: "/session",
    tag: "Session",
    summary: "Sign out: the cookie is cleared",
    result: signedOut,
  },
  {
    id: "live",
    method: "get",
    path: "/live",
    tag: "Status",
    summary: "Stream of the events status, activity and payment, until disconnected",
    mediaType: "text/event-stream",
    result: z
      .union([status, activity, happening])
      .describe("The data of the events `status`, `activity` and `payment`."),
  },
];
