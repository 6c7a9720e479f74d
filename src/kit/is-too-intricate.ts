const [QUOTE, BACKSLASH, COMMA, LINE_END] = [0x22, 0x5c, 0x2c, 0x0a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Whether a JSON text is deeper, or made of more pieces, than the limits: parsing and walking it would cost
 * many times what its bytes cost (G12). Looks at each character once; for text that is not JSON the result
 * may be either.
 */
export function isTooIntricate(text: string, limits: { depth: number; pieces: number }): boolean {
  let depth = 0;
  let pieces = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      depth += 1;
      pieces += 1;
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth -= 1;
    else if (code === COMMA || (code === LINE_END && depth === 0)) pieces += 1;
    if (depth > limits.depth || pieces > limits.pieces) return true;
  }
  return false;
}

/** The index of the quote that closes the string opened at `start`, or of the text's end. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}
