import {
  duplicateKeyOf,
  invoiceFilter,
  type Operation,
  ownWords,
  parseExactJson,
  problemsOf,
} from "../../../collection-api/contract/index.ts";
import { isUuid } from "../../../kit/uuid.ts";
import type { Faults } from "../faults/faults.ts";

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

/** What the provider's own SDK asks of a list beside the specification. */
export interface ExtraQuery {
  readonly linkedAccountId: string | null;
  readonly isDownloading: boolean;
}

export const NO_EXTRA: ExtraQuery = { linkedAccountId: null, isDownloading: false };

const FILTER_NAMES = Object.keys(invoiceFilter.shape);
const EXTRA_NAMES = ["linkedAccountId", "isDownloading"] as const;
/**
 * The query by its documented names, compared without case, since the provider's own SDK writes `InvoiceType`
 * (interface, part B); empty values count as left out. What is wrong goes to `problems`.
 */
export function readQuery(
  url: string,
  freedoms: Faults["list"],
  problems: string[],
): { query: Record<string, string>; extra: ExtraQuery } {
  const query: Record<string, string> = {};
  const given: Partial<Record<(typeof EXTRA_NAMES)[number], string>> = {};
  const seen = new Set<string>();
  const start = url.indexOf("?");
  for (const [written, value] of new URLSearchParams(start < 0 ? "" : url.slice(start + 1))) {
    const same = (name: string) => name.toLowerCase() === written.toLowerCase();
    const extra = EXTRA_NAMES.find(same);
    const name = FILTER_NAMES.find(same) ?? extra;
    const isRefused = name === undefined ? freedoms.unknownFilters : extra && freedoms[extra];
    if (isRefused === "refused")
      problems.push(`${shown(written)} is not taken: the list takes ${FILTER_NAMES.join(", ")}`);
    if (name === undefined || isRefused === "refused" || isRefused === "ignored" || value === "") continue;
    if (seen.has(name)) problems.push(`${name} is given more than once`);
    seen.add(name);
    if (extra === undefined) query[name] = value;
    else given[extra] = value;
  }
  return { query, extra: readExtra(given, problems) };
}

function readExtra(
  given: { linkedAccountId?: string; isDownloading?: string },
  problems: string[],
): ExtraQuery {
  const { linkedAccountId, isDownloading = "false" } = given;
  if (linkedAccountId !== undefined && !isUuid(linkedAccountId))
    problems.push("linkedAccountId should be a UUID such as 0f3a1c52-9c1b-4a53-8f0e-6d2b7a4c9e10");
  if (!/^(true|false)$/i.test(isDownloading)) problems.push("isDownloading should be true or false");
  return {
    linkedAccountId: linkedAccountId?.toLowerCase() ?? null,
    isDownloading: isDownloading.toLowerCase() === "true",
  };
}

/** A name that a stranger chose, as it may stand in an answer. */
const shown = (name: string) => (/^[\w.[\]-]{1,50}$/.test(name) ? name : "A parameter of the query");
