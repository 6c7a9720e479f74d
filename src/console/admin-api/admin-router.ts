import express, { type ErrorRequestHandler, type Request, type Response, Router } from "express";
import { z } from "zod";
import { isRefusedData } from "../../database/postgres-errors.ts";
import { messageOf, RelayError } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";
import type { Secret } from "../../kit/secret.ts";
import { AdminTokens } from "./admin-tokens.ts";
import { openApiDocument } from "./open-api.ts";
import type { AdminParts, Operation } from "./operation.ts";
import { NotComposed, operations } from "./operations.ts";
import type { RefusedCallers } from "./refused-callers.ts";

export interface AdminRouterOptions {
  parts: AdminParts;
  /** Whoever sends one of these as a bearer token may do everything here. */
  tokens: readonly Secret[];
  refused: RefusedCallers;
  log: Logger;
}

const BODY_LIMIT = "256kb";

/** `/admin/v1/…`: JSON, for the holders of ADMIN_TOKENS. Each change is audited under its token's name. */
export function adminRouter({ parts, tokens, refused, log }: AdminRouterOptions): Router {
  const known = new AdminTokens(tokens);
  const api = Router();
  api.use((request, response, next) => {
    response.setHeader("cache-control", "no-store");
    const actor = known.actorOf(request.headers.authorization);
    if (actor === null) {
      if (refused.isThrottled(request.ip ?? "")) {
        response.setHeader("retry-after", "60");
        return refuse(response, 429, "Too many wrong tokens were sent from here.");
      }
      response.setHeader("www-authenticate", 'Bearer realm="invoice-relay"');
      return refuse(response, 401, "Send one of ADMIN_TOKENS as a bearer token.");
    }
    response.locals.actor = actor;
    next();
  });
  api.use(express.json({ limit: BODY_LIMIT }));
  api.get("/openapi.json", (_request, response) => {
    response.json(openApiDocument());
  });
  for (const operation of operations) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    api[operation.method](path, (request, response) => carryOut(operation, parts, request, response));
  }
  api.use((_request, response) => {
    refuse(response, 404, "There is no such operation. They are described at /admin/v1/openapi.json.");
  });
  api.use(onError(log));
  return Router().use("/admin/v1", api);
}

async function carryOut(
  operation: Operation,
  parts: AdminParts,
  request: Request,
  response: Response,
): Promise<void> {
  const input = {
    path: operation.pathParameters?.parse(request.params),
    query: operation.query?.parse(request.query),
    body: operation.body?.parse(request.body ?? {}),
  };
  const result = await operation.run({ ...parts, actor: response.locals.actor as string }, input);
  if (result === null) return refuse(response, 404, "There is nothing with this id.");
  response.json(result);
}

function refuse(response: Response, status: number, error: string): void {
  response.status(status).json({ error });
}

const onError =
  (log: Logger): ErrorRequestHandler =>
  (error, request, response, next) => {
    if (response.headersSent) return next(error);
    if (error instanceof z.ZodError) return refuse(response, 400, problemsOf(error));
    if (error instanceof RelayError) return refuse(response, 409, error.message);
    // A NUL, a year 0: text and times that only Postgres finds out about.
    if (isRefusedData(error)) return refuse(response, 400, "A value is none that the database takes.");
    if (error instanceof NotComposed) return refuse(response, 501, error.message);
    const status: unknown = error?.status;
    if (typeof status === "number" && status >= 400 && status < 500)
      return refuse(response, status, `The request cannot be read: ${messageOf(error)}`);
    log.error({ method: request.method, error: messageOf(error) }, "a request to the admin API failed");
    refuse(response, 500, "Something went wrong here. Try again; the log says more.");
  };

const problemsOf = (error: z.ZodError): string =>
  error.issues.map((issue) => `${issue.path.join(".") || "the request"}: ${issue.message}`).join("; ");
