import { setTimeout as sleep } from "node:timers/promises";
import express, { type Request, type Response, type Router } from "express";
import { type Operation, type OperationName, operations } from "../../../collection-api/contract/index.ts";
import type { ServiceContext } from "../service-context.ts";
import type { ApiKeys } from "./api-keys.ts";
import {
  handleCreateInvoice,
  handleGetInvoice,
  handleInvalidateInvoice,
  handleListInvoices,
} from "./invoice-handlers.ts";
import { handleAddLinkedAccount, handleGetBanks, handleGetCollection } from "./merchant-handlers.ts";
import type { Answer, OperationHandlers, Question } from "./operation-handlers.ts";
import { readRequest } from "./read-request.ts";
import { REFUSALS } from "./refusals.ts";
import { sendAnswer, sendRefusal } from "./send-answer.ts";

const HANDLERS: OperationHandlers = {
  getCollection: handleGetCollection,
  listInvoices: handleListInvoices,
  createInvoice: handleCreateInvoice,
  getInvoice: handleGetInvoice,
  invalidateInvoice: handleInvalidateInvoice,
  addLinkedAccount: handleAddLinkedAccount,
  getBanks: handleGetBanks,
};

const BODY_LIMIT_BYTES = 256 * 1_024;

/** The seven operations, each at its path of the contract; Get Banks at `banksPath`. */
export function apiRouter(context: ServiceContext, keys: ApiKeys, banksPath: string): Router {
  const router = express.Router();
  const readBody = express.raw({ type: () => true, limit: BODY_LIMIT_BYTES });
  for (const name of Object.keys(operations) as OperationName[]) {
    const operation: Operation = operations[name];
    const path = name === "getBanks" ? banksPath : operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    const method = operation.method === "GET" ? "get" : "post";
    router[method](path, readBody, (request: Request, response: Response) =>
      serveOperation(context, keys, name, request, response),
    );
    router.all(path, (_request, response) => {
      response.setHeader("allow", operation.method);
      sendRefusal(response, REFUSALS.wrongMethod());
    });
  }
  return router;
}

async function serveOperation<Name extends OperationName>(
  context: ServiceContext,
  keys: ApiKeys,
  name: Name,
  request: Request,
  response: Response,
): Promise<void> {
  const fault = context.faults.strike(name);
  if (fault !== undefined && fault.delayMs > 0) await sleep(fault.delayMs, undefined, { ref: false });
  if (fault !== undefined && needsNoWork(fault.answer) && !fault.afterWork)
    return sendAnswer(response, { status: 200, body: {} }, fault);

  const key = keys.find(request.get("x-api-key"));
  if (key === undefined)
    return sendRefusal(response, REFUSALS.unauthorized("x-api-key is missing or unknown"));

  const operation: Operation = operations[name];
  const read = readRequest(operation, request);
  if (!read.ok) return sendRefusal(response, REFUSALS.invalid(...read.problems));

  const question = { path: read.path, query: read.query, body: read.body, key } as Question<Name>;
  const answer: Answer<Name> = await HANDLERS[name](context, question);
  if (answer.refusal !== undefined) return sendRefusal(response, answer.refusal);
  const data = operation.data === undefined ? {} : { data: operation.data.written.parse(answer.data) };
  const body = { status: operation.envelopeStatus, message: answer.message, ...data };
  sendAnswer(response, { status: operation.status, body }, fault);
}

const needsNoWork = (answer: string) => /^(\d{3}|hang-up)$/.test(answer);
