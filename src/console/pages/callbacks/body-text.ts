const WIDTH = 16;

/** Base64 as bytes; none where it is no base64. */
export function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/** Sixteen bytes a line: offset, hex, and what is printable ASCII of them. */
export function hexLines(bytes: Uint8Array): string[] {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += WIDTH) {
    const part = [...bytes.subarray(at, at + WIDTH)];
    const hex = part.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = part.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·")).join("");
    lines.push(`${at.toString(16).padStart(6, "0")}  ${hex.padEnd(WIDTH * 3 - 1)}  ${text}`);
  }
  return lines;
}

/** A part of a body: an id that was found there, or what stands between them. */
export interface Part {
  at: number;
  text: string;
  isId: boolean;
}

const UUID_LENGTH = 36;

/**
 * A body cut where ids were found in it.
 * @param ids `at`: where each begins, in UTF-16 units; null stands elsewhere.
 */
export function markedText(text: string, ids: readonly { at: number | null; invoiceId: string }[]): Part[] {
  const starts = [...new Set(ids.flatMap(({ at }) => (at === null ? [] : [at])))].sort(
    (one, other) => one - other,
  );
  const parts: Part[] = [];
  let end = 0;
  for (const at of starts) {
    if (at < end || at + UUID_LENGTH > text.length) continue;
    if (at > end) parts.push({ at: end, text: text.slice(end, at), isId: false });
    parts.push({ at, text: text.slice(at, at + UUID_LENGTH), isId: true });
    end = at + UUID_LENGTH;
  }
  if (end < text.length) parts.push({ at: end, text: text.slice(end), isId: false });
  return parts;
}
