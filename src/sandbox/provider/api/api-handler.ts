import { setTimeout as sleep } from "node:timers/promises";
import express, { type Request, type RequestHandler, type Response } from "express";
import { type Operation, type OperationName, operations } from "../../../collection-api/contract/index.ts";
import type { ApiFault } from "../faults/faults.ts";
import { isGatewayAnswer } from "../faults/gateway-answers.ts";
import type { ServiceContext } from "../service-context.ts";
import type { ApiKeys } from "./api-keys.ts";
import {
  type Answer,
  type ApiRequest,
  handleAddLinkedAccount,
  handleCreateInvoice,
  handleGetBanks,
  handleGetCollection,
  handleGetInvoice,
  handleInvalidateInvoice,
  handleListInvoices,
  type OperationHandlers,
} from "./operation-handlers.ts";
import { readRequest } from "./read-request.ts";
import { REFUSALS, sendAnswer, sendGatewayAnswer, sendRefusal, sendTooMany } from "./refusals.ts";

const HANDLERS: OperationHandlers = {
  getCollection: handleGetCollection,
  listInvoices: handleListInvoices,
  createInvoice: handleCreateInvoice,
  getInvoice: handleGetInvoice,
  invalidateInvoice: handleInvalidateInvoice,
  addLinkedAccount: handleAddLinkedAccount,
  getBanks: handleGetBanks,
};

type OperationRoute = Extract<Route, { found: "operation" }>;

/** The seven operations, each at its path of the contract or where the freedoms in force put it. */
export function apiHandler(context: ServiceContext, keys: ApiKeys): RequestHandler {
  const rates = new RateLimit();
  return async (request, response) => {
    const { paths, unknownPath } = context.faults.current.http;
    const route = routeOf(request.method, request.path, paths);
    switch (route.found) {
      case "operation":
        return await serveOperation(context, keys, rates, route, request, response);
      case "wrong-method":
        response.setHeader("allow", route.allow.join(", "));
        return sendRefusal(response, REFUSALS.wrongMethod());
      case "nothing":
        if (unknownPath === "envelope") return sendRefusal(response, REFUSALS.unknownPath());
        return sendGatewayAnswer(response, unknownPath);
    }
  };
}

async function serveOperation(
  context: ServiceContext,
  keys: ApiKeys,
  rates: RateLimit,
  { name, id }: OperationRoute,
  request: Request,
  response: Response,
): Promise<void> {
  const fault = context.faults.strike(name, id?.toLowerCase());
  if (fault !== undefined && fault.delayMs > 0) await sleep(fault.delayMs, undefined, { ref: false });
  if (fault !== undefined && needsNoWork(fault) && !fault.afterWork)
    return sendAnswer(response, { status: 200, body: {} }, fault);

  // The key comes before the body, whose size is nobody's business who has none.
  const key = keys.find(request.get("x-api-key"));
  if (key === undefined)
    return sendRefusal(response, REFUSALS.unauthorized("x-api-key is missing or unknown"));
  const { http, limits } = context.faults.current;
  if (rates.exceeds(key.name, http.requestsPerSecond, Date.now())) return sendTooMany(response, 1);
  const operation: Operation = operations[name];
  if (operation.request.body !== undefined && http.contentTypes === "json" && !request.is("application/json"))
    return sendRefusal(response, REFUSALS.wrongContentType("content-type should be application/json"));
  await readBody(request, response, limits.bodyBytes);

  const read = readRequest(operation, { id, url: request.url, body: request.body }, context.faults.current);
  if (!read.ok) return sendRefusal(response, REFUSALS.invalid(...read.problems));

  const { idempotencyHeader } = context.faults.current.create;
  const idempotencyKey = idempotencyHeader === null ? undefined : request.get(idempotencyHeader);
  const { path, query, body } = read;
  const asked = { path, query, body, extra: read.extra, key, idempotencyKey };
  // The name joins the handler with what its schemas read, which TypeScript does not follow.
  const handler = HANDLERS[name] as (
    context: ServiceContext,
    request: ApiRequest<typeof name>,
  ) => Promise<Answer<typeof name>>;
  const answer = await handler(context, asked as ApiRequest<typeof name>);
  if (answer.refusal !== undefined) return sendRefusal(response, answer.refusal);
  const data = operation.data?.written.parse(answer.data);
  const written = operation.data === undefined ? {} : { data };
  const envelope = { status: operation.envelopeStatus, message: answer.message, ...written };
  sendAnswer(response, { status: operation.status, body: envelope }, fault);
}

/** @throws what Express has to say about a body that is too large or cannot be unpacked. */
function readBody(request: Request, response: Response, limit: number): Promise<void> {
  const read = express.raw({ type: () => true, limit });
  return new Promise((resolve, reject) => {
    read(request, response, (error: unknown) => (error === undefined ? resolve() : reject(error)));
  });
}

const needsNoWork = ({ answer }: ApiFault) => /^(\d{3}|hang-up)$/.test(answer) || isGatewayAnswer(answer);

/** How many requests of each key there were in the second that runs now. */
export class RateLimit {
  #second = 0;
  readonly #counts = new Map<string, number>();

  /** Counts one. @returns whether it is over the limit; null is no limit. */
  exceeds(key: string, perSecond: number | null, nowMs: number): boolean {
    if (perSecond === null) return false;
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.#second) this.#counts.clear();
    this.#second = second;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count > perSecond;
  }
}

export type Paths = Readonly<Partial<Record<OperationName, string | undefined>>>;

export type Route =
  | { readonly found: "operation"; readonly name: OperationName; readonly id: string | undefined }
  /** The address is known, but not under this method. */
  | { readonly found: "wrong-method"; readonly allow: readonly string[] }
  | { readonly found: "nothing" };

/**
 * The operation at a path, compared without case as the provider's SDK needs it (interface, part B).
 * @param path without query; `id` comes out as it stands there, percent signs included.
 * @param paths what takes the place of the contract's own.
 */
export function routeOf(method: string, path: string, paths: Paths): Route {
  const parts = partsOf(path);
  const allow: string[] = [];
  for (const name of Object.keys(operations) as OperationName[]) {
    const operation = operations[name];
    const match = matchOf(partsOf(paths[name] ?? operation.path), parts);
    if (match === undefined) continue;
    if (operation.method === (method === "HEAD" ? "GET" : method))
      return { found: "operation", name, id: match.id };
    allow.push(operation.method);
  }
  return allow.length > 0 ? { found: "wrong-method", allow } : { found: "nothing" };
}

const partsOf = (path: string) => path.replace(/^\//, "").replace(/\/$/, "").split("/");

function matchOf(
  pattern: readonly string[],
  parts: readonly string[],
): { id: string | undefined } | undefined {
  if (pattern.length !== parts.length) return undefined;
  let id: string | undefined;
  for (const [nth, wanted] of pattern.entries()) {
    const part = parts[nth] ?? "";
    if (wanted === "{id}" && part !== "") id = part;
    else if (wanted.toLowerCase() !== part.toLowerCase()) return undefined;
  }
  return { id };
}
