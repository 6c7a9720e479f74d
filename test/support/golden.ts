import { expect } from "vitest";

const DIFFERS: readonly (readonly [RegExp, string])[] = [
  [/\r\n/g, "\n"],
  [/\b[0-9a-f]{64}\b/g, "<digest>"],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| UTC)?/g, "<time>"],
  [/\b\d{4}-\d\d-\d\d\b/g, "<day>"],
  [/callback_\d{4}_\d\d/g, "callback_<month>"],
  [/ +\+\d+(\.\d+)? (ms|s|min|h|days)\b/g, " +<span>"],
  [/\b\d+(\.\d+)? (ms|s|min|h|days?)\b/g, "<span>"],
  [/(127\.0\.0\.1|localhost):\d{4,}/g, "$1:<port>"],
  [/(PostgreSQL|this program)( +)\d[\d.]*( \([^)]*\))?/g, "$1$2<version>"],
  [/\/tmp\/[\w./-]+/g, "<file>"],
];

/** A text whose ids, times, spans and ports stand by name: what is left is what a person reads. */
export function settled(text: string): string {
  const ids = new Map<string, string>();
  const named = text.replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, (id) => {
    const key = id.toLowerCase();
    if (!ids.has(key)) ids.set(key, `<id ${ids.size + 1}>`);
    return ids.get(key) ?? id;
  });
  return DIFFERS.reduce((all, [what, name]) => all.replaceAll(what, name), named);
}

/** Holds what people read against `golden/<name>.txt` beside the test; `vitest -u` writes the file anew. */
export const expectGolden = (name: string, text: string) =>
  expect(settled(text)).toMatchFileSnapshot(`golden/${name}.txt`);
