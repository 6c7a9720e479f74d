import { endOfString } from "../../kit/is-too-intricate.ts";

/**
 * The first key that an object of this JSON text gives twice, or undefined. Every reader decides for itself
 * which of the two values counts, so nobody can rely on either. One pass over the text.
 * @param text JSON that `JSON.parse` takes.
 */
export function duplicateKeyOf(text: string): string | undefined {
  /** The keys seen in each enclosing object; null for a list. */
  const around: (Set<string> | null)[] = [];
  let at = 0;
  while (at < text.length) {
    const sign = text[at];
    if (sign === "{") around.push(new Set());
    else if (sign === "[") around.push(null);
    else if (sign === "}" || sign === "]") around.pop();
    else if (sign === '"') {
      const end = endOfString(text, at) + 1;
      const keys = around.at(-1);
      if (keys && isKey(text, end)) {
        const key: string = JSON.parse(text.slice(at, end));
        if (keys.has(key)) return key.slice(0, 100);
        keys.add(key);
      }
      at = end;
      continue;
    }
    at += 1;
  }
  return undefined;
}

/** In JSON only a key is followed by a colon. */
function isKey(text: string, end: number): boolean {
  let at = end;
  while (/\s/.test(text[at] ?? "")) at += 1;
  return text[at] === ":";
}
