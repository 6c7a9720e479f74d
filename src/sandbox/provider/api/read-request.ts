import {
  invoiceFilter,
  type Operation,
  ownWords,
  parseExactJson,
  problemsOf,
} from "../../../collection-api/contract/index.ts";
import { isUuid } from "../../../kit/ids.ts";
import { Refused } from "../refusals.ts";

/** What the provider's own SDK asks of a list beside the specification. */
export interface ExtraQuery {
  readonly linkedAccountId: string | null;
  readonly isDownloading: boolean;
}

type Parts = Record<"path" | "query" | "body", unknown>;

/**
 * Holds path, query and body against the operation's schemas.
 * @param given as it came: `id` still encoded, the body's bytes.
 * @throws Refused with all problems at once, by the field's name.
 */
export function readRequest(
  { request }: Operation,
  given: { id: string | undefined; url: string; body: unknown },
): Parts & { extra: ExtraQuery } {
  const problems: string[] = [];
  const parts: Parts = { path: null, query: null, body: null };
  let extra: ExtraQuery = { linkedAccountId: null, isDownloading: false };
  const hold = (part: keyof Parts, value: unknown) => {
    const result = request[part]?.safeParse(value, { error: ownWords });
    if (result?.success) parts[part] = result.data;
    else if (result !== undefined) problems.push(...problemsOf(result.error));
  };
  hold("path", request.path && { id: decodeURIComponent(given.id ?? "") });
  if (request.query !== undefined) {
    const asked = readQuery(given.url, problems);
    extra = asked.extra;
    hold("query", asked.query);
  }
  if (request.body !== undefined) {
    const before = problems.length;
    const body = readJson(given.body, problems);
    if (problems.length === before) hold("body", body);
  }
  if (problems.length > 0) throw new Refused("invalid", ...problems);
  return { ...parts, extra };
}

const FILTER_NAMES = Object.keys(invoiceFilter.shape);
const EXTRA_NAMES = ["linkedAccountId", "isDownloading"] as const;

/** The query by name, without case, as the provider's SDK needs it (interface, part B); empty values are left out. */
function readQuery(url: string, problems: string[]) {
  const query: Record<string, string> = {};
  const extra: Partial<Record<(typeof EXTRA_NAMES)[number], string>> = {};
  const seen = new Set<string>();
  const start = url.indexOf("?");
  for (const [written, value] of new URLSearchParams(start < 0 ? "" : url.slice(start + 1))) {
    const isSame = (name: string) => name.toLowerCase() === written.toLowerCase();
    const ofSdk = EXTRA_NAMES.find(isSame);
    const name = FILTER_NAMES.find(isSame) ?? ofSdk;
    if (name === undefined)
      problems.push(`${showName(written)} is not taken: the list takes ${FILTER_NAMES.join(", ")}`);
    if (name === undefined || value === "") continue;
    if (seen.has(name)) problems.push(`${name} is given more than once`);
    seen.add(name);
    if (ofSdk === undefined) query[name] = value;
    else extra[ofSdk] = value;
  }
  const { linkedAccountId, isDownloading = "false" } = extra;
  if (linkedAccountId !== undefined && !isUuid(linkedAccountId))
    problems.push("linkedAccountId should be a UUID such as 0f3a1c52-9c1b-4a53-8f0e-6d2b7a4c9e10");
  if (!/^(true|false)$/i.test(isDownloading)) problems.push("isDownloading should be true or false");
  return {
    query,
    extra: {
      linkedAccountId: linkedAccountId?.toLowerCase() ?? null,
      isDownloading: isDownloading.toLowerCase() === "true",
    },
  };
}

/** A name that a stranger chose, as it may stand in an answer. */
const showName = (name: string) => (/^[\w.[\]-]{1,50}$/.test(name) ? name : "A parameter of the query");

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** The body's JSON, read without a byte order mark; undefined where there is none. */
function readJson(body: unknown, problems: string[]): unknown {
  let text = "";
  try {
    if (Buffer.isBuffer(body)) text = UTF8.decode(body);
  } catch {
    problems.push("The request's body is not UTF-8");
  }
  if (text.trim() === "") return undefined;
  try {
    return parseExactJson(text);
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
