import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type ErrorRequestHandler, type Request, type Response, Router } from "express";
import {
  BadInput,
  type Download,
  type Operation,
  type OperationParts,
  operations,
  readInput,
  roleFor,
  runOperation,
} from "../../operations/index.ts";
import type { AdminToken } from "../../platform/config/index.ts";
import {
  databaseFault,
  type ErrorCode,
  faultOf,
  messageOf,
  noteWork,
  RelayError,
} from "../../platform/errors/index.ts";
import type { Logger } from "../../platform/log/index.ts";
import { Turns } from "../../platform/process/index.ts";
import { mayAct, newId, type Role, withTextsMasked } from "../../platform/values/index.ts";
import { openApiText } from "./open-api.ts";
import {
  type Caller,
  Callers,
  isRefused,
  jsonBody,
  methodNotAllowed,
  sessionRoutes,
} from "./session-routes.ts";
import { actorOf } from "./sessions.ts";

interface AdminRouterOptions {
  parts: OperationParts;
  /** A token's role decides on requests that carry it, and on sessions opened with it. */
  tokens: readonly AdminToken[];
  /** Counts a wrong token. */
  onRefused: () => void;
  /** Whether people reach the relay by https, on whichever port. */
  peopleUseTls: boolean;
  log: Logger;
}

const BODY_LIMIT = "256kb";

/** Readings and exports that are under way at once: together they leave background work a connection of its pool. */
const READING_LIMIT = 2;
const EXPORT_LIMIT = 1;

/** `/admin/v1/…`: JSON, for the holders of ADMIN_TOKENS. Each change is audited under its token's name. */
export function adminRouter({ parts, log, ...options }: AdminRouterOptions): Router {
  const callers = new Callers({ db: parts.db, ...options });
  const turns = { reading: new Turns(READING_LIMIT), export: new Turns(EXPORT_LIMIT) };
  const api = Router();
  api.use((_request, response, next) => {
    response.setHeader("cache-control", "no-store");
    next();
  });
  api.use(sessionRoutes({ parts, callers, operationsOf, refuse }));
  api.use(async (request, response, next) => {
    const caller = await callers.callerOf(request, response);
    if (isRefused(caller)) return refuse(response, caller);
    response.locals.caller = caller;
    next();
  });
  api.use(jsonBody(BODY_LIMIT));
  api.get("/openapi.json", (_request, response) => {
    response.type("json").send(openApiText());
  });
  for (const [path, there] of byPath()) {
    for (const operation of there)
      api[operation.method](path, (request, response) =>
        carryOut(operation, { ...parts, turns }, request, response).catch((error: unknown) => {
          throw noteWork(error, workOf(operation, request));
        }),
      );
    api.all(path, methodNotAllowed(there.map(({ method }) => method.toUpperCase())));
  }
  api.all("/openapi.json", methodNotAllowed(["GET"]));
  api.use((_request, response) => {
    const error = "There is no such operation. /admin/v1/openapi.json describes them all.";
    refuse(response, { status: 404, error });
  });
  api.use(onError(parts, log));
  return Router().use("/admin/v1", api);
}

/** The operations of each path as the router writes it; `/certificates/calendar` before `/certificates/:id`. */
const byPath = (): [path: string, there: Operation[]][] =>
  [...Map.groupBy<string, Operation>(operations, ({ path }) => path.replaceAll(/\{(\w+)\}/g, ":$1"))].sort(
    ([one], [other]) => Number(one.includes(":")) - Number(other.includes(":")),
  );

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

async function carryOut(
  operation: Operation,
  { turns, ...parts }: OperationParts & { turns: Record<"reading" | "export", Turns> },
  request: Request,
  response: Response,
): Promise<void> {
  const { holder } = callerIn(response);
  const needed = roleFor(operation);
  if (!mayAct(holder.role, needed)) {
    const error = `${operation.id} needs the role ${needed}; ${holder.name} has the role ${holder.role}.`;
    return refuse(response, { status: 403, error });
  }
  const { params: path, query, body = {} } = request;
  const input = readInput(operation, { path, query, body });
  const left = new AbortController();
  response.once("close", () => left.abort());
  const context = {
    ...parts,
    actor: actorOf(holder),
    role: holder.role,
  };
  const respond = async () => {
    // The client left while the request waited for its turn.
    if (left.signal.aborted) return;
    const result = await runOperation(operation, context, input);
    if (result === null) return refuse(response, { status: 404, error: "There is nothing with this id." });
    const masked = (value: unknown) => withTextsMasked(value, parts.mask);
    if (operation.mediaTypes === undefined) return void response.json(masked(result));
    const file = result as Download;
    response.attachment(file.fileName).type(file.mediaType);
    const sent = Readable.from(file.parts).map((part) => (typeof part === "string" ? masked(part) : part));
    await pipeline(sent, response);
  };
  if (operation.mediaTypes !== undefined) await turns.export.run(respond);
  else if (needed === "read") await turns.reading.run(respond);
  else await respond();
}

const workOf = ({ id: operation }: Operation, { params }: Request) => ({ operation, ...params });

interface Failure {
  status: number;
  error: string;
  code?: ErrorCode;
  /** The log has it under this id. */
  requestId?: string;
}

const CODES: Partial<Record<number, ErrorCode>> = {
  400: "usage",
  404: "not_found",
  500: "unexpected",
};

function refuse(response: Response, { status, error, code = CODES[status], requestId }: Failure): void {
  if (status === 401) response.setHeader("www-authenticate", 'Bearer realm="invoice-relay"');
  if (status === 503) response.setHeader("retry-after", "5");
  if (requestId !== undefined) response.setHeader("x-request-id", requestId);
  response.status(status).json({ error, ...(code !== undefined && { code }) });
}

const onError =
  ({ mask }: OperationParts, log: Logger): ErrorRequestHandler =>
  (error, request, response, next) => {
    if (response.headersSent) return next(error);
    const { error: says, ...failure } = failureOf(error, request, log);
    refuse(response, { ...failure, error: mask(says) });
  };

function failureOf(error: unknown, request: Request, log: Logger): Failure {
  if (error instanceof RelayError)
    return {
      status: error instanceof BadInput ? 400 : error.code === "not_found" ? 404 : 409,
      error: error.message,
      code: error.code,
    };
  const status = error instanceof Error && "status" in error ? error.status : undefined;
  if (typeof status === "number" && status >= 400 && status < 500)
    return { status, error: `The request cannot be read: ${messageOf(error)}` };
  const fault = databaseFault(error);
  const about = { ...(fault === null ? { requestId: newId() } : {}), method: request.method };
  log.error({ ...about, ...faultOf(error) }, "a request to the admin API failed");
  if (fault !== null)
    return { status: fault.code === "database_away" ? 503 : 409, error: fault.words, code: fault.code };
  const where = `the log has the details, under request ${about.requestId}`;
  return { status: 500, error: `Something went wrong. Try again; ${where}.`, ...about };
}
