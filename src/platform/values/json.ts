/** A string, a mark, or a number or word; of one pass, however long. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/g;
const [OPENS, CLOSES] = [/^[{[]$/, /^[}\]]$/];

/** Over several lines, every digit and escape as it came: no value is made. Other text is left alone. Pure. */
export function indentedJson(json: string): string {
  if (jsonIn(json) === undefined) return json;
  let depth = 0;
  const line = (by: number) => {
    depth += by;
    return `\n${"  ".repeat(depth)}`;
  };
  const tokens = json.match(TOKEN) ?? [];
  return tokens
    .map((token, at) => {
      if (OPENS.test(token)) return CLOSES.test(tokens[at + 1] ?? "") ? token : token + line(1);
      if (CLOSES.test(token)) return OPENS.test(tokens[at - 1] ?? "") ? token : line(-1) + token;
      if (token === ",") return token + line(0);
      return token === ":" ? ": " : token;
    })
    .join("");
}

/** The value of a JSON text; undefined for any other text. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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
  const next = text.indexOf('"', start + 1);
  if (next === -1) return text.length;
  if (text.charCodeAt(next - 1) !== BACKSLASH) return next;
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}
