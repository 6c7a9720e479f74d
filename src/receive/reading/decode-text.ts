/**
 * The text of a body: UTF-8, or UTF-16 where a byte order mark or the zeros between ASCII letters tell.
 * Broken bytes become U+FFFD and never throw: an id is ASCII, so it survives a broken name beside it. The
 * charset that a Content-Type names is ignored: ASCII is the same in all others that occur.
 */
export function decodeText(bytes: Uint8Array): string {
  const [a, b, c, d] = bytes;
  if (a === undefined) return "";
  if ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0 && c !== 0 && d === 0))
    return utf16("utf-16le", bytes);
  if ((a === 0xfe && b === 0xff) || (a === 0 && b !== 0 && c === 0 && d !== 0))
    return utf16("utf-16be", bytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function utf16(encoding: "utf-16le" | "utf-16be", bytes: Uint8Array): string {
  return new TextDecoder(encoding).decode(bytes);
}
