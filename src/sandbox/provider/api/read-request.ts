import type { Request } from "express";
import {
  invoiceFilter,
  type Operation,
  parseExactJson,
  problemsOf,
} from "../../../collection-api/contract/index.ts";

export interface RequestParts {
  readonly path: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export type ReadRequest = ({ ok: true } & RequestParts) | { ok: false; problems: string[] };

/** Holds path, query and body against the operation's schemas; all problems at once, each with the field's name. */
export function readRequest(operation: Operation, request: Request): ReadRequest {
  const problems: string[] = [];
  const parts: Record<"path" | "query" | "body", unknown> = { path: null, query: null, body: null };
  const given = {
    path: () => request.params,
    query: () => namedQuery(request.url, problems),
    body: () => jsonBody(request.body, problems),
  };
  for (const part of ["path", "query", "body"] as const) {
    const schema = operation.request[part];
    if (schema === undefined) continue;
    const before = problems.length;
    const value = given[part]();
    if (problems.length > before) continue;
    const result = schema.safeParse(value);
    if (result.success) parts[part] = result.data;
    else problems.push(...problemsOf(result.error));
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, ...parts };
}

// The provider's own SDK writes `InvoiceType` (interface, part B): names are compared without case.
const FILTER_NAMES = new Map(Object.keys(invoiceFilter.shape).map((name) => [name.toLowerCase(), name]));

/** The query by its documented names; empty values count as left out, unknown names are not looked at. */
function namedQuery(url: string, problems: string[]): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [given, value] of new URLSearchParams(url.split("?")[1] ?? "")) {
    const name = FILTER_NAMES.get(given.toLowerCase());
    if (name === undefined || value === "") continue;
    if (Object.hasOwn(query, name)) problems.push(`${name} is given more than once`);
    query[name] = value;
  }
  return query;
}

function jsonBody(body: unknown, problems: string[]): unknown {
  const text = Buffer.isBuffer(body) ? body.toString("utf8") : "";
  if (text.trim() === "") return undefined;
  try {
    return parseExactJson(text);
  } catch {
    const notNumber = /"(\w{1,100})"\s*:\s*([+-]?(?:NaN|Infinity))/.exec(text);
    problems.push(
      notNumber === null
        ? "The request's body is not JSON"
        : `${notNumber[1]} should be a number: ${notNumber[2]} is not JSON`,
    );
    return undefined;
  }
}
