import { setTimeout as sleep } from "node:timers/promises";
import express, { type Request, type RequestHandler, type Response } from "express";
import { type Operation, type OperationName, operations } from "../../../collection-api/contract/index.ts";
import { needsNoWork, sendAnswer } from "../faults/fault-answers.ts";
import { Refused } from "../refusals.ts";
import type { ServiceContext } from "../service-context.ts";
import { HANDLERS } from "./operation-handlers.ts";
import { readRequest } from "./read-request.ts";

/** The seven operations, each at its path of the contract or where the freedoms in force put it. */
export function apiHandler(context: ServiceContext): RequestHandler {
  return async (request, response) => {
    const { paths, unknownPath } = context.faults.current.http;
    const found = operationsAt(request.path, paths);
    const method = request.method === "HEAD" ? "GET" : request.method;
    const called = found.find(({ name }) => operations[name].method === method);
    if (called !== undefined) return await serve(context, called, request, response);
    if (found.length > 0) {
      response.setHeader("allow", found.map(({ name }) => operations[name].method).join(", "));
      throw new Refused("wrongMethod");
    }
    if (unknownPath === "envelope") throw new Refused("unknownPath");
    sendAnswer(response, 404, {}, { answer: unknownPath });
  };
}

/** @throws Refused */
async function serve(
  context: ServiceContext,
  { name, id }: FoundOperation,
  request: Request,
  response: Response,
): Promise<void> {
  const fault = context.faults.strike(name, id?.toLowerCase());
  if (fault !== undefined && fault.delayMs > 0) await sleep(fault.delayMs, undefined, { ref: false });
  if (fault !== undefined && needsNoWork(fault) && !fault.afterWork)
    return sendAnswer(response, 200, {}, fault);

  // The key comes before the body, whose size is nobody's business who has none.
  const key = context.keys.find(request.get("x-api-key"));
  if (key === undefined) throw new Refused("unauthorized", "x-api-key is missing or unknown");
  const operation: Operation = operations[name];
  await readBody(request, response);

  const read = readRequest(operation, { id, url: request.url, body: request.body });
  const { message, handle } = HANDLERS[name];
  // The name joins the handler with what its schemas read, which TypeScript does not follow.
  const answered = await handle(context, { ...read, key } as never);
  const data = operation.data?.written.parse(answered);
  sendAnswer(response, operation.status, { status: operation.envelopeStatus, message, data }, fault);
}

const BODY_LIMIT = 262_144;
const read = express.raw({ type: () => true, limit: BODY_LIMIT });

/** @throws what Express has to say about a body that is too large or cannot be unpacked. */
function readBody(request: Request, response: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    read(request, response, (error: unknown) => (error === undefined ? resolve() : reject(error)));
  });
}

export type Paths = Readonly<Partial<Record<OperationName, string | undefined>>>;

interface FoundOperation {
  readonly name: OperationName;
  /** As it stands in the path, percent signs included. */
  readonly id: string | undefined;
}

/**
 * The operations at a path, by whatever method; compared without case as the provider's SDK needs it
 * (interface, part B).
 * @param path without query.
 * @param paths what takes the place of the contract's own.
 */
function operationsAt(path: string, paths: Paths): FoundOperation[] {
  const parts = partsOf(path);
  return (Object.keys(operations) as OperationName[]).flatMap((name) => {
    const pattern = partsOf(paths[name] ?? operations[name].path);
    const fits = (part: string, nth: number) =>
      pattern[nth] === "{id}" ? part !== "" : pattern[nth]?.toLowerCase() === part.toLowerCase();
    if (pattern.length !== parts.length || !parts.every(fits)) return [];
    return { name, id: parts[pattern.indexOf("{id}")] };
  });
}

const partsOf = (path: string) => path.replace(/^\//, "").replace(/\/$/, "").split("/");
