import { endOfString } from "../is-too-intricate.ts";
import { personalKind } from "../personal-fields.ts";
import { withoutCallbackTokens } from "./callback-tokens.ts";
import { withoutContacts } from "./quiet-text.ts";

const MASK = '"***"';

/** No key that is looked for is longer. */
const LONGEST_KEY = 64;

/** More than any evidence or event has (both are cut, or bounded by SNS): anything beyond is left out. */
const MOST_LOOKED_AT = 262_144;

/**
 * Evidence for a screen or `--json`: names, addresses, phone numbers, metadata and callback tokens are
 * masked. It takes any text, JSON that was cut off included, and walks over it once.
 * @returns the first 262,144 characters at most, masked.
 */
export function maskedEvidence(evidence: string): string {
  const text = evidence.length > MOST_LOOKED_AT ? `${evidence.slice(0, MOST_LOOKED_AT)}…` : evidence;
  const parts: string[] = [];
  let kept = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at)) {
    const end = endOfString(text, at) + 1;
    const colon = skipSpace(text, end);
    if (text[colon] !== ":") {
      at = end;
      continue;
    }
    const value = skipSpace(text, colon + 1);
    at = endOfMasked(text, text.slice(at + 1, Math.min(end - 1, at + 1 + LONGEST_KEY)), value);
    if (at === value) continue;
    parts.push(text.slice(kept, value), MASK);
    kept = at;
  }
  return withoutContacts(withoutCallbackTokens(parts.join("") + text.slice(kept)));
}

/** Where the value that begins at `value` ends if it is to be masked; else `value` itself. */
function endOfMasked(text: string, key: string, value: number): number {
  const kind = personalKind(key);
  if (text[value] === '"' && kind !== null) return endOfString(text, value) + 1;
  return text[value] === "{" && kind === "object" ? endOfObject(text, value) : value;
}

function endOfObject(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '"') at = endOfString(text, at);
    else if (text[at] === "{") depth += 1;
    else if (text[at] === "}" && --depth === 0) return at + 1;
  }
  return text.length;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\r" || text[at] === "\t") at += 1;
  return at;
}
