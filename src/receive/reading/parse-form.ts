import { type Json, READING_LIMITS } from "./parse-json.ts";

type Fields = { [key: string]: Json };

/** A key deeper than this stays one flat key, which only the scan reads. */
const DEEPEST_KEY = 6;

/** Of a key, indexes included. */
const SEGMENTS_LIMIT = 3 * DEEPEST_KEY;

/**
 * The fields of a form body or a query, as the tree that their keys describe: `data[id]=…` and `data.id=…`
 * become `data.id`, indexes are dropped, repeated fields become an array. Fields beyond the limit are not
 * read. Broken percent-encoding never throws.
 *
 * Two habits of redirects are undone: a `?` appended to a URL that already had one, and `&amp;` left over
 * from HTML.
 */
export function parseForm(text: string): Fields {
  const fields = emptyFields();
  for (const [key, value] of new URLSearchParams(firstFields(text))) {
    const all = key.replace(/^amp;/, "").split(/[[\].]+/, SEGMENTS_LIMIT + 1);
    const segments = all.filter((segment) => !/^\d*$/.test(segment));
    const isFlat = segments.length === 0 || segments.length > DEEPEST_KEY || all.length > SEGMENTS_LIMIT;
    if (isFlat) put(fields, key, value);
    else put(parentOf(fields, segments), segments.at(-1) ?? key, value);
  }
  return fields;
}

/** @param query as in the URL, without its `?` */
export function parseQuery(query: string): Fields {
  return query === "" ? {} : parseForm(query.replaceAll("?", "&"));
}

/** Cuts before URLSearchParams sees the text: many empty fields cost it far more than as many bytes. */
function firstFields(text: string): string {
  let end = -1;
  for (let fields = 0; fields < READING_LIMITS.fields; fields += 1) {
    end = text.indexOf("&", end + 1);
    if (end === -1) return text;
  }
  return text.slice(0, end);
}

function parentOf(fields: Fields, segments: readonly string[]): Fields {
  let parent = fields;
  for (const segment of segments.slice(0, -1)) {
    const next = parent[segment];
    if (typeof next === "object" && next !== null && !Array.isArray(next)) parent = next;
    else {
      const child = emptyFields();
      if (next !== undefined) child[""] = next;
      parent[segment] = child;
      parent = child;
    }
  }
  return parent;
}

function put(parent: Fields, key: string, value: string): void {
  const present = parent[key];
  if (present === undefined) parent[key] = value;
  else if (Array.isArray(present)) present.push(value);
  else if (typeof present === "object" && present !== null) put(present, "", value);
  else parent[key] = [present, value];
}

/** Without a prototype, so that a field named `__proto__` or `constructor` is a field and nothing else. */
function emptyFields(): Fields {
  return Object.create(null) as Fields;
}
