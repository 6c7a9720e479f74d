import type { Json } from "./parse-json.ts";

type Fields = { [key: string]: Json };

/** Deeper keys than this are no form of ours: they stay one flat key, which only the scan reads. */
const DEEPEST_KEY = 6;

/**
 * The fields of a form body or a query, as the tree that their keys describe: `data[id]=…` and `data.id=…` become
 * `data.id`, indexes are dropped, repeated fields become an array. Broken percent-encoding never throws.
 *
 * Two habits of redirects are undone: a `?` appended to a URL that already had one, and `&amp;` left over from HTML.
 */
export function parseForm(text: string): Fields {
  const fields = emptyFields();
  for (const [key, value] of new URLSearchParams(text)) {
    const segments = key
      .replace(/^amp;/, "")
      .split(/[[\].]+/, DEEPEST_KEY + 1)
      .filter((segment) => !/^\d*$/.test(segment));
    if (segments.length === 0 || segments.length > DEEPEST_KEY) put(fields, key, value);
    else put(parentOf(fields, segments), segments.at(-1) ?? key, value);
  }
  return fields;
}

/** @param query as in the URL, without its `?` */
export function parseQuery(query: string): Fields {
  return parseForm(query.replaceAll("?", "&"));
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
