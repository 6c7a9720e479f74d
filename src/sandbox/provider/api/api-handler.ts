import { setTimeout as sleep } from "node:timers/promises";
import express, { type Request, type RequestHandler, type Response } from "express";
import { type Operation, type OperationName, operations } from "../../../collection-api/contract/index.ts";
import type { ApiFault } from "../faults/faults.ts";
import { isGatewayAnswer } from "../faults/gateway-answers.ts";
import type { ServiceContext } from "../service-context.ts";
import { type Answer, type ApiRequest, HANDLERS } from "./operation-handlers.ts";
import { readRequest } from "./read-request.ts";
import { REFUSALS, sendAnswer, sendGatewayAnswer, sendRefusal, sendTooMany } from "./refusals.ts";

/** The seven operations, each at its path of the contract or where the freedoms in force put it. */
export function apiHandler(context: ServiceContext): RequestHandler {
  const exceedsRate = countPerSecond();
  return async (request, response) => {
    const { paths, unknownPath } = context.faults.current.http;
    const { allow, operation } = routeOf(request.method, request.path, paths);
    if (operation !== undefined) return await serve(context, exceedsRate, operation, request, response);
    if (allow.length > 0) {
      response.setHeader("allow", allow.join(", "));
      return sendRefusal(response, REFUSALS.wrongMethod());
    }
    if (unknownPath === "envelope") return sendRefusal(response, REFUSALS.unknownPath());
    sendGatewayAnswer(response, unknownPath);
  };
}

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
    return sendAnswer(response, { status: 200, body: {} }, fault);

  // The key comes before the body, whose size is nobody's business who has none.
  const key = context.keys.find(request.get("x-api-key"));
  if (key === undefined)
    return sendRefusal(response, REFUSALS.unauthorized("x-api-key is missing or unknown"));
  const { create, http, limits } = context.faults.current;
  if (exceedsRate(key.name, http.requestsPerSecond)) return sendTooMany(response, 1);
  const operation: Operation = operations[name];
  if (operation.request.body !== undefined && http.contentTypes === "json" && !request.is("application/json"))
    return sendRefusal(response, REFUSALS.wrongContentType("content-type should be application/json"));
  await readBody(request, response, limits.bodyBytes);

  const read = readRequest(operation, { id, url: request.url, body: request.body }, context.faults.current);
  if (!read.ok) return sendRefusal(response, REFUSALS.invalid(...read.problems));
  const idempotencyKey =
    create.idempotencyHeader === null ? undefined : request.get(create.idempotencyHeader);
  // The name joins the handler with what its schemas read, which TypeScript does not follow.
  const handler = HANDLERS[name] as (
    context: ServiceContext,
    request: ApiRequest<typeof name>,
  ) => Promise<Answer<typeof name>>;
  const answer = await handler(context, { ...read, key, idempotencyKey } as ApiRequest<typeof name>);
  if (answer.refusal !== undefined) return sendRefusal(response, answer.refusal);
  const data = operation.data?.written.parse(answer.data);
  const written = operation.data === undefined ? {} : { data };
  const envelope = { status: operation.envelopeStatus, message: answer.message, ...written };
  sendAnswer(response, { status: operation.status, body: envelope }, fault);
}

const needsNoWork = ({ answer }: ApiFault) => /^(\d{3}|hang-up)$/.test(answer) || isGatewayAnswer(answer);

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
 * The operation at a path, compared without case as the provider's SDK needs it (interface, part B); or the
 * methods that a known path takes.
 * @param path without query.
 * @param paths what takes the place of the contract's own.
 */
function routeOf(
  method: string,
  path: string,
  paths: Paths,
): { operation?: FoundOperation; allow: string[] } {
  const parts = partsOf(path);
  const allow: string[] = [];
  for (const name of Object.keys(operations) as OperationName[]) {
    const operation = operations[name];
    const match = matchPath(partsOf(paths[name] ?? operation.path), parts);
    if (match === undefined) continue;
    if (operation.method === (method === "HEAD" ? "GET" : method))
      return { operation: { name, id: match.id }, allow };
    allow.push(operation.method);
  }
  return { allow };
}

const partsOf = (path: string) => path.replace(/^\//, "").replace(/\/$/, "").split("/");

function matchPath(pattern: readonly string[], parts: readonly string[]): { id?: string } | undefined {
  if (pattern.length !== parts.length) return undefined;
  const found: { id?: string } = {};
  for (const [nth, wanted] of pattern.entries()) {
    const part = parts[nth] ?? "";
    if (wanted === "{id}" && part !== "") found.id = part;
    else if (wanted.toLowerCase() !== part.toLowerCase()) return undefined;
  }
  return found;
}
