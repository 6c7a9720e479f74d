import { NIL_UUID } from "../../kit/ids.ts";

const HEX = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const BARE = new RegExp(`^${HEX}$`, "i");
const DRESSED = new RegExp(`^\\s*(?:urn:uuid:)?\\{?(${HEX})\\}?\\s*$`, "i");
const FIRST_DASH = 8;
const LATER_DASHES = [13, 18, 23];
const LENGTH = 36;

/**
 * The UUID that a text is, in lower case, or null. Invoice ids are UUIDs because this API's are: here that is
 * decided for what a callback names, and the tables' columns hold nothing else. Any version; surrounding space, braces (.NET's "B" format)
 * and `urn:uuid:` are taken off. 32 hex digits without dashes are not taken: MD5 sums, tokens and trace ids
 * look the same, and the interface (part A) writes ids with dashes.
 */
export function asUuid(text: string): string | null {
  if (text.length === 36) return BARE.test(text) ? notNil(text.toLowerCase()) : null;
  if (text.length < 36 || text.length > 64) return null;
  const inside = DRESSED.exec(text)?.[1];
  return inside === undefined ? null : notNil(inside.toLowerCase());
}

/** Every UUID within a text, in order, in lower case, with the index where it begins. Repeats are not left out. */
export function* uuidsIn(text: string): Generator<{ uuid: string; index: number }> {
  for (let next = nextUuid(text, 0); next !== null; next = nextUuid(text, next.index + LENGTH)) yield next;
}

/** The first UUID that begins at `from` or later. */
export function nextUuid(text: string, from: number): { uuid: string; index: number } | null {
  // From dash to dash: a pattern would be tried at every character, and takes three times as long.
  for (let dash = text.indexOf("-", from + FIRST_DASH); dash !== -1; dash = text.indexOf("-", dash + 1)) {
    const index = dash - FIRST_DASH;
    if (!standsAt(text, index)) continue;
    const uuid = notNil(text.slice(index, index + LENGTH).toLowerCase());
    if (uuid !== null) return { uuid, index };
    dash = index + LENGTH - 1;
  }
  return null;
}

/** An escape of a form, folded into another form perhaps, or of JSON: its last letter begins no word. */
const ESCAPE = /(?:%(?:25)*[0-9a-f]{2}|\\[bfnrt]|\\u[0-9a-f]{4})$/i;
const LONGEST_ESCAPE = 9;

/** What each ASCII character is: a letter or digit, and among those a hex digit. */
const [WORD, HEX_DIGIT] = [1, 2];
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[0-9a-f]/i.test(character) ? HEX_DIGIT : /[0-9a-z]/i.test(character) ? WORD : 0;
});
const kindAt = (text: string, at: number): number => KINDS[text.charCodeAt(at)] ?? 0;

/** Whether a UUID stands there that is no part of a longer word. */
function standsAt(text: string, index: number): boolean {
  for (const at of LATER_DASHES) if (text[index + at] !== "-") return false;
  for (let at = 0; at < LENGTH; at += 1)
    if (kindAt(text, index + at) !== HEX_DIGIT && at !== FIRST_DASH && !LATER_DASHES.includes(at))
      return false;
  return (
    kindAt(text, index + LENGTH) === 0 &&
    (kindAt(text, index - 1) === 0 || ESCAPE.test(text.slice(Math.max(0, index - LONGEST_ESCAPE), index)))
  );
}

/** What .NET and others send for "no id yet": asking for it would only hide the id that stands elsewhere. */
function notNil(uuid: string): string | null {
  return uuid === NIL_UUID ? null : uuid;
}
