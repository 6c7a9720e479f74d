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
