import { setTimeout as sleep } from "node:timers/promises";
import express, { type Request, type RequestHandler, type Response } from "express";
import { type Operation, type OperationName, operations } from "../../../collection-api/contract/index.ts";
import { needsNoWork, sendAnswer } from "../faults/fault-answers.ts";
import { Refused, sendTooMany } from "../refusals.ts";
import type { ServiceContext } from "../service-context.ts";
import { HANDLERS } from "./operation-handlers.ts";
import { readRequest } from "./read-request.ts";

/** The seven operations, each at its path of the contract or where the freedoms in force put it. */
export function apiHandler(context: ServiceContext): RequestHandler {
  const exceedsRate = countPerSecond();
  return async (request, response) => {
    const { paths, unknownPath } = context.faults.current.http;
    const found = operationsAt(request.path, paths);
    const method = request.method === "HEAD" ? "GET" : request.method;
    const called = found.find(({ name }) => operations[name].method === method);
    if (called !== undefined) return await serve(context, exceedsRate, called, request, response);
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
  exceedsRate: ReturnType<typeof countPerSecond>,
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
  const { create, http, limits } = context.faults.current;
  if (exceedsRate(key.name, http.requestsPerSecond)) return sendTooMany(response, 1);
  const operation: Operation = operations[name];
  if (operation.request.body !== undefined && http.contentTypes === "json" && !request.is("application/json"))
    throw new Refused("wrongContentType", "content-type should be application/json");
  await readBody(request, response, limits.bodyBytes);

  const read = readRequest(operation, { id, url: request.url, body: request.body }, context.faults.current);
  const idempotencyKey =
    create.idempotencyHeader === null ? undefined : request.get(create.idempotencyHeader);
  const { message, handle } = HANDLERS[name];
  // The name joins the handler with what its schemas read, which TypeScript does not follow.
  const answered = await handle(context, { ...read, key, idempotencyKey } as never);
  const data = operation.data?.written.parse(answered);
  sendAnswer(response, operation.status, { status: operation.envelopeStatus, message, data }, fault);
}

/** @throws what Express has to say about a body that is too large or cannot be unpacked. */
function readBody(request: Request, response: Response, limit: number): Promise<void> {
  const read = express.raw({ type: () => true, limit });
  return new Promise((resolve, reject) => {
    read(request, response, (error: unknown) => (error === undefined ? resolve() : reject(error)));
  });
}

/** Counts a request of a key; says whether it is over the limit of the second that runs now (null: none). */
function countPerSecond(): (key: string, limit: number | null) => boolean {
  const counts = new Map<string, number>();
  let second = 0;
  return (key, limit) => {
    if (limit === null) return false;
    const now = Math.floor(Date.now() / 1_000);
    if (now !== second) counts.clear();
    second = now;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count > limit;
  };
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
