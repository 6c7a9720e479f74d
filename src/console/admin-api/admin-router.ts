import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type ErrorRequestHandler, type Request, type Response, Router } from "express";
import { z } from "zod";
import { isDatabaseAway, isRefusedData } from "../../database/postgres-errors.ts";
import { type AdminToken, mayAct, type Role } from "../../kit/admin-token.ts";
import { messageOf, RelayError } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";
import { withTextsMasked } from "../../kit/mask/masked-texts.ts";
import { actorOf } from "./admin-tokens.ts";
import { type Caller, Callers, isRefused } from "./callers.ts";
import { jsonBody } from "./json-body.ts";
import type { Live } from "./live.ts";
import { openApiText } from "./open-api.ts";
import { type AdminParts, type Operation, roleFor } from "./operation.ts";
import { operations } from "./operations.ts";
import { ProgressStream, wantsProgress } from "./progress-stream.ts";
import type { RefusedCallers } from "./refused-callers.ts";
import { SessionCookie } from "./session-cookie.ts";
import { sessionRoutes } from "./session-routes.ts";
import { Sessions } from "./sessions.ts";

export interface AdminRouterOptions {
  parts: AdminParts;
  /** Whoever sends one of these, or signed in with it, may do what its role allows. */
  tokens: readonly AdminToken[];
  refused: RefusedCallers;
  live: Live;
  /** Whether browsers reach this listener over https only. */
  behindTls: boolean;
  log: Logger;
}

const BODY_LIMIT = "256kb";

/** `/admin/v1/…`: JSON, for the holders of ADMIN_TOKENS. Each change is audited under its token's name. */
export function adminRouter({ parts, tokens, refused, live, behindTls, log }: AdminRouterOptions): Router {
  const sessions = new Sessions(tokens);
  const cookie = new SessionCookie({ behindTls });
  const callers = new Callers({ tokens, sessions, cookie, refused });
  const api = Router();
  api.use((_request, response, next) => {
    response.setHeader("cache-control", "no-store");
    next();
  });
  api.use(sessionRoutes({ db: parts.db, tokens, callers, sessions, cookie, operationsOf, refuse, log }));
  api.use((request, response, next) => {
    const caller = callers.callerOf(request, response, { prolong: request.path !== "/live" });
    if (isRefused(caller)) return refuse(response, caller);
    response.locals.caller = caller;
    next();
  });
  api.use(jsonBody(BODY_LIMIT));
  api.get("/openapi.json", (_request, response) => {
    response.type("json").send(openApiText());
  });
  api.get("/live", (_request, response) => {
    const until = callerIn(response).session?.expiresAt ?? Number.POSITIVE_INFINITY;
    if (live.listen(response, until)) return;
    response.setHeader("retry-after", "10");
    refuse(response, { status: 503, error: "Too many listeners. Try again later." });
  });
  for (const operation of operations) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    const read = readInput(operation);
    api[operation.method](path, (request, response) =>
      carryOut(operation, read, parts, request, response, log),
    );
  }
  api.use((_request, response) => {
    const error = "There is no such operation. /admin/v1/openapi.json describes them all.";
    refuse(response, { status: 404, error });
  });
  api.use(onError(parts, log));
  return Router().use("/admin/v1", api);
}

/** Without ADMIN_TOKENS: refuses everything and says why. */
export function closedAdminRouter(): Router {
  return Router().use("/admin/v1", (_request, response) => {
    const error = "The admin API is disabled: ADMIN_TOKENS is not set.";
    refuse(response, { status: 404, error });
  });
}

const operationsOf = (role: Role): string[] =>
  operations.filter((operation) => mayAct(role, roleFor(operation))).map(({ id }) => id);

const callerIn = (response: Response): Caller => response.locals.caller as Caller;

/**
 * Reads what an operation takes. A parameter that it does not know is refused like an unknown field of its
 * body: what somebody asked for is never left out silently.
 */
function readInput({ pathParameters, query = z.object({}), body }: Operation) {
  const parameters = query.strict();
  return (request: Request) => ({
    path: pathParameters?.parse(request.params),
    query: parameters.parse(request.query),
    body: body?.parse(request.body ?? {}),
  });
}

async function carryOut(
  operation: Operation,
  read: ReturnType<typeof readInput>,
  parts: AdminParts,
  request: Request,
  response: Response,
  log: Logger,
): Promise<void> {
  const { holder } = callerIn(response);
  const needed = roleFor(operation);
  if (!mayAct(holder.role, needed)) {
    const error = `${operation.id} needs the role ${needed}; ${holder.name} has the role ${holder.role}.`;
    return refuse(response, { status: 403, error });
  }
  const input = read(request);
  const left = new AbortController();
  response.once("close", () => left.abort());
  const context = {
    ...parts,
    actor: actorOf(holder),
    role: holder.role,
    left: left.signal,
    onProgress: () => undefined,
  };
  if (operation.tellsProgress === true && wantsProgress(request)) {
    const stream = new ProgressStream(response, parts.mask);
    try {
      stream.end({ result: await operation.run({ ...context, onProgress: stream.reached }, input) });
    } catch (error) {
      stream.end({ error: judge(error, request, log).error });
    }
    return;
  }
  const result = await operation.run(context, input);
  if (result === null) return refuse(response, { status: 404, error: "There is nothing with this id." });
  const masked = (value: unknown) =>
    operation.tellsTokens === true ? value : withTextsMasked(value, parts.mask);
  if (operation.mediaType === undefined) return void response.json(masked(result));
  response.attachment().type(operation.mediaType);
  await pipeline(Readable.from(result as AsyncIterable<string>).map(masked), response);
}

function refuse(response: Response, { status, error }: { status: number; error: string }): void {
  if (status === 401) response.setHeader("www-authenticate", 'Bearer realm="invoice-relay"');
  if (status === 503) response.setHeader("retry-after", "5");
  if (status === 429) response.setHeader("retry-after", "60");
  response.status(status).json({ error });
}

const onError =
  ({ mask }: AdminParts, log: Logger): ErrorRequestHandler =>
  (error, request, response, next) => {
    if (response.headersSent) return next(error);
    const { status, error: says } = judge(error, request, log);
    refuse(response, { status, error: mask(says) });
  };

function judge(error: unknown, request: Request, log: Logger): { status: number; error: string } {
  if (error instanceof z.ZodError) return { status: 400, error: problemsOf(error) };
  if (error instanceof RelayError) return { status: 409, error: error.message };
  // Such as a NUL or the year 0, which only Postgres detects.
  if (isRefusedData(error)) return { status: 400, error: "The database does not accept one of the values." };
  const status = error instanceof Error && "status" in error ? error.status : undefined;
  if (typeof status === "number" && status >= 400 && status < 500)
    return { status, error: `The request cannot be read: ${messageOf(error)}` };
  log.error({ method: request.method, error: messageOf(error) }, "a request to the admin API failed");
  if (isDatabaseAway(error))
    return { status: 503, error: "The database does not answer. Try again in a moment; see database_away." };
  return { status: 500, error: "Something went wrong. Try again; the log has the details." };
}

const problemsOf = (error: z.ZodError): string =>
  error.issues.map((issue) => `${issue.path.join(".") || "the request"}: ${issue.message}`).join("; ");
