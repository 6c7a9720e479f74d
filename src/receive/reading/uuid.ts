import { NIL_UUID } from "../../kit/ids.ts";

const HEX = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const BARE = new RegExp(`^${HEX}$`, "i");
const DRESSED = new RegExp(`^\\s*(?:urn:uuid:)?\\{?(${HEX})\\}?\\s*$`, "i");
/** An escape of a form, folded into another form perhaps, or of JSON: its last letter begins no word. */
const ESCAPE = /(?:%(?:25)*[0-9a-f]{2}|\\[bfnrt]|\\u[0-9a-f]{4})$/i;
const LONGEST_ESCAPE = 9;
const WORD = /[0-9a-z]/i;

/** The length of a UUID: a shorter text holds none. */
export const UUID_LENGTH = 36;

/**
 * The UUID that a text is, in lower case, or null. Invoice ids are UUIDs because this API's are: here that is
 * decided for what a callback names, and the tables' columns hold nothing else. Any version; surrounding space, braces (.NET's "B" format)
 * and `urn:uuid:` are taken off. 32 hex digits without dashes are not taken: MD5 sums, tokens and trace ids
 * look the same, and the interface (part A) writes ids with dashes.
 */
export function asUuid(text: string): string | null {
  if (text.length === UUID_LENGTH) return BARE.test(text) ? notNil(text.toLowerCase()) : null;
  if (text.length < UUID_LENGTH || text.length > 64) return null;
  const inside = DRESSED.exec(text)?.[1];
  return inside === undefined ? null : notNil(inside.toLowerCase());
}

/** Every UUID within a text that is no part of a longer word, in order, in lower case. Repeats are not left out. */
export function uuidsIn(text: string): string[] {
  const found: string[] = [];
  // From dash to dash: a pattern would be tried at every character, and takes three times as long.
  for (let dash = text.indexOf("-", 8); dash !== -1; dash = text.indexOf("-", dash + 1)) {
    const at = dash - 8;
    if (text[at + 13] !== "-" || text[at + 18] !== "-" || text[at + 23] !== "-") continue;
    const uuid = text.slice(at, at + UUID_LENGTH);
    if (!BARE.test(uuid) || WORD.test(text[at + UUID_LENGTH] ?? "")) continue;
    if (WORD.test(text[at - 1] ?? "") && !ESCAPE.test(text.slice(Math.max(0, at - LONGEST_ESCAPE), at)))
      continue;
    if (notNil(uuid) !== null) found.push(uuid.toLowerCase());
    dash = at + UUID_LENGTH - 1;
  }
  return found;
}

/** What .NET and others send for "no id yet": asking for it would only hide the id that stands elsewhere. */
function notNil(uuid: string): string | null {
  return uuid === NIL_UUID ? null : uuid;
}
