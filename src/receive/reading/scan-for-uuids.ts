import type { Json } from "./parse-json.ts";
import { plainName, UNRELATED_KEYS } from "./places.ts";
import { UUID_LENGTH, uuidsIn } from "./uuid.ts";

const UNRELATED = new Set(UNRELATED_KEYS.map(plainName));

/** Whether a UUID under this key, as `plainName` writes it, is never an invoice's. */
export const isUnrelated = (plain: string): boolean => UNRELATED.has(plain);

/**
 * The distinct UUIDs of a document in their order, keys as well as values, without those under a key that is
 * never an invoice's. It goes as deep as parsing does.
 */
export function scanForUuids(document: Json): string[] {
  const found = new Set<string>();
  const take = (text: string) => {
    if (text.length >= UUID_LENGTH) for (const uuid of uuidsIn(text)) found.add(uuid);
  };
  const walk = (value: Json): void => {
    if (typeof value === "string") take(value);
    else if (Array.isArray(value)) value.forEach(walk);
    else if (typeof value === "object" && value !== null)
      for (const key in value) {
        take(key);
        const below = value[key] ?? null;
        // Most values are short texts and numbers, whose key is not worth a look.
        const mayHold =
          typeof below === "object" || (typeof below === "string" && below.length >= UUID_LENGTH);
        if (mayHold && !isUnrelated(plainName(key))) walk(below);
      }
  };
  walk(document);
  return [...found];
}
