import { type Json, READING_LIMITS, type UnreadSet } from "./parse-json.ts";
import { plainName, UNRELATED_KEYS } from "./places.ts";
import { nextUuid, uuidsIn } from "./uuid.ts";

const UNRELATED = new Set(UNRELATED_KEYS.map(plainName));

/** Whether a UUID under this key, as `plainName` writes it, is never an invoice's. */
export const isUnrelated = (plain: string): boolean => UNRELATED.has(plain);

/** How many UUIDs a scan keeps and looks at. */
interface ScanLimits {
  kept: number;
  looked: number;
}

/** A scan is a guess, so this is the most requests to the provider that one may cost. */
const GUESS: ScanLimits = { kept: 5, looked: READING_LIMITS.scanned };

/** What is only noted costs no request. */
export const EVERY_UUID: ScanLimits = { kept: Number.POSITIVE_INFINITY, looked: Number.POSITIVE_INFINITY };

/**
 * The first distinct UUIDs of a body without a listed place, as many as the limits allow: first through the
 * parsed document, keys as well as values, then through the text itself, which also holds what the parser
 * dropped (the first of two equal keys) or could not read. What stands under a key that is never an invoice's
 * is left out.
 *
 * @param text the same body as text
 * @param known UUIDs that are left out
 */
export function scanForUuids(
  document: Json | undefined,
  text: string,
  unread: UnreadSet,
  known: Iterable<string> = [],
  limits = GUESS,
): string[] {
  const unrelated = new Set(known);
  const kept = new Set<string>();
  if (document !== undefined) scanDocument(document, kept, unrelated, limits.kept);
  let looked = 0;
  for (const { uuid, index } of uuidsIn(text)) {
    if (kept.size >= limits.kept) break;
    if (++looked > limits.looked) {
      unread.add("ids");
      break;
    }
    if (!unrelated.has(uuid) && !UNRELATED.has(keyBefore(text, index))) kept.add(uuid);
  }
  return [...kept];
}

/** Whether a text holds a UUID that is not known nor stands under a key that is never an invoice's. */
export function namesOthers(text: string, known: ReadonlySet<string>): boolean {
  // Without the generator: nearly every callback is looked through here.
  for (let next = nextUuid(text, 0); next !== null; next = nextUuid(text, next.index + next.uuid.length))
    if (!known.has(next.uuid) && !UNRELATED.has(keyBefore(text, next.index))) return true;
  return false;
}

/** Walks without recursion, so that no nesting can overflow the stack. */
function scanDocument(document: Json, kept: Set<string>, unrelated: Set<string>, limit: number): void {
  const open: { value: Json; into: Set<string> }[] = [{ value: document, into: kept }];
  for (let next = open.pop(); next !== undefined && kept.size < limit; next = open.pop()) {
    const { value, into } = next;
    if (typeof value === "string") {
      for (const { uuid } of uuidsIn(value)) {
        if (kept.size >= limit) return;
        if (into === unrelated || !unrelated.has(uuid)) into.add(uuid);
      }
    } else if (Array.isArray(value)) {
      // Backwards, so that the first comes off the stack first.
      for (let i = value.length - 1; i >= 0; i--) open.push({ value: value[i] ?? null, into });
    } else if (typeof value === "object" && value !== null) {
      for (const key of Object.keys(value).reverse()) {
        const below = UNRELATED.has(plainName(key)) ? unrelated : into;
        open.push({ value: value[key] ?? null, into: below }, { value: key, into });
      }
    }
  }
}

/** How far before a value its key is looked for. */
const KEY_REACH = 60;

/** The plain name of the key that a value at `index` seems to have, in JSON or a form that could not be parsed. */
function keyBefore(text: string, index: number): string {
  const least = Math.max(0, index - KEY_REACH);
  const back = (from: number, isOver: (character: string) => boolean): number => {
    let at = from;
    while (at > least && isOver(text[at - 1] as string)) at -= 1;
    return at;
  };
  const sign = back(back(index, isDressing), isSpace);
  if (sign === least || (text[sign - 1] !== ":" && text[sign - 1] !== "=")) return "";
  let end = back(sign - 1, isSpace);
  if (end > least && (text[end - 1] === '"' || text[end - 1] === "'")) end -= 1;
  return plainName(text.slice(back(end, isKeyCharacter), end));
}

const isDressing = (character: string): boolean =>
  character === '"' || character === "'" || character === "{";
const isSpace = (character: string): boolean => character <= " ";
const isKeyCharacter = (character: string): boolean =>
  (character >= "a" && character <= "z") || /[\w-]/.test(character);
