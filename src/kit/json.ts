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

/** What a JSON text holds; undefined for any other text. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
