import { setTimeout as sleep } from "node:timers/promises";
import express, { type Request, type RequestHandler, type Response } from "express";
import { type Operation, operations } from "../../../collection-api/contract/index.ts";
import type { ApiFault } from "../faults/api-faults.ts";
import { isGatewayAnswer } from "../faults/gateway-answers.ts";
import type { ServiceContext } from "../service-context.ts";
import type { ApiKeys } from "./api-keys.ts";
import {
  handleCreateInvoice,
  handleGetInvoice,
  handleInvalidateInvoice,
  handleListInvoices,
} from "./invoice-handlers.ts";
import { handleAddLinkedAccount, handleGetBanks, handleGetCollection } from "./merchant-handlers.ts";
import type { Answer, ApiRequest, OperationHandlers } from "./operation-handlers.ts";
import { RateLimit } from "./rate-limit.ts";
import { readRequest } from "./read-request.ts";
import { REFUSALS } from "./refusals.ts";
import { type Route, routeOf } from "./route.ts";
import { sendAnswer, sendGatewayAnswer, sendRefusal, sendTooMany } from "./send-answer.ts";

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
