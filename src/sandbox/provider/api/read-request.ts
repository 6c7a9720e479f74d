import {
  duplicateKeyOf,
  type Operation,
  ownWords,
  parseExactJson,
  problemsOf,
} from "../../../collection-api/contract/index.ts";
import type { Faults } from "../faults/faults.ts";
import { type ExtraQuery, NO_EXTRA, readQuery } from "./query.ts";

/** A request as it came: `id` still encoded, the body's bytes. */
export interface GivenRequest {
  readonly id: string | undefined;
  readonly url: string;
  readonly body: unknown;
}

export type ReadRequest =
  | {
      readonly ok: true;
      readonly path: unknown;
      readonly query: unknown;
      readonly body: unknown;
      readonly extra: ExtraQuery;
    }
  | { readonly ok: false; readonly problems: string[] };

/**
 * Holds path, query and body against the operation's schemas; all problems at once, each with the field's
 * name.
 */
export function readRequest(operation: Operation, given: GivenRequest, freedoms: Faults): ReadRequest {
  const problems: string[] = [];
  let extra = NO_EXTRA;
  const parts: Record<"path" | "query" | "body", unknown> = { path: null, query: null, body: null };
  const read = {
    path: () => ({ id: decodeURIComponent(given.id ?? "") }),
    query: () => {
      const asked = readQuery(given.url, freedoms.list, problems);
      extra = asked.extra;
      return asked.query;
    },
    body: () => jsonBody(given.body, problems),
  };
  for (const part of ["path", "query", "body"] as const) {
    const schema = operation.request[part];
    if (schema === undefined) continue;
    const before = problems.length;
    const value = read[part]();
    if (part === "body" && problems.length > before) continue;
    const result = schema.safeParse(value, { error: ownWords });
    if (result.success) parts[part] = result.data;
    else problems.push(...problemsOf(result.error));
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, ...parts, extra };
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

function jsonBody(body: unknown, problems: string[]): unknown {
  const text = textOf(body, problems);
  if (text === undefined || text.trim() === "") return undefined;
  try {
    const value = parseExactJson(text);
    const twice = duplicateKeyOf(text);
    if (twice !== undefined) problems.push(`${twice} is given more than once`);
    return value;
  } catch {
    const notNumber = /"(\w{1,100})"\s{0,10}:\s{0,10}([+-]?(?:NaN|Infinity))/.exec(text);
    problems.push(
      notNumber === null
        ? "The request's body is not JSON"
        : `${notNumber[1]} should be a number: ${notNumber[2]} is not JSON`,
    );
    return undefined;
  }
}

/** The body's text without a byte order mark. */
function textOf(body: unknown, problems: string[]): string | undefined {
  if (!Buffer.isBuffer(body)) return "";
  try {
    return UTF8.decode(body);
  } catch {
    problems.push("The request's body is not UTF-8");
    return undefined;
  }
}
