const HEX = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const BARE = new RegExp(`^${HEX}$`, "i");
const DRESSED = new RegExp(`^\\s*(?:urn:uuid:)?\\{?(${HEX})\\}?\\s*$`, "i");
const ANYWHERE = new RegExp(`(?<![0-9a-z])${HEX}(?![0-9a-z])`, "gi");

/** What .NET and others send for "no id yet": asking for it would only hide the id that stands elsewhere. */
const NIL = "00000000-0000-0000-0000-000000000000";

/**
 * The UUID that a text is, in lower case, or null. Any version; surrounding space, braces (.NET's "B" format)
 * and `urn:uuid:` are taken off. 32 hex digits without dashes are not taken: MD5 sums, tokens and trace ids
 * look the same, and the interface (part A) writes ids with dashes.
 */
export function asUuid(text: string): string | null {
  if (text.length === 36) return BARE.test(text) ? notNil(text.toLowerCase()) : null;
  if (text.length < 36 || text.length > 64) return null;
  const inside = DRESSED.exec(text)?.[1];
  return inside === undefined ? null : notNil(inside.toLowerCase());
}

/**
 * Every UUID within a text, in order, in lower case, with the index where it begins. Repeats are not left
 * out.
 */
export function* uuidsIn(text: string): Generator<{ uuid: string; index: number }> {
  if (text.length < 36) return;
  for (const match of text.matchAll(ANYWHERE)) {
    const uuid = notNil(match[0].toLowerCase());
    if (uuid !== null) yield { uuid, index: match.index };
  }
}

function notNil(uuid: string): string | null {
  return uuid === NIL ? null : uuid;
}
