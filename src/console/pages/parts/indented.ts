/**
 * JSON text over several lines, every digit and escape left as it came: no value is read. Other text is left
 * alone.
 */
export function indented(json: string): string {
  if (!isJson(json)) return json;
  let depth = 0;
  let inString = false;
  let out = "";
  const line = () => `\n${"  ".repeat(depth)}`;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index] ?? "";
    if (inString) {
      out += character;
      if (character === "\\") out += json[++index] ?? "";
      else if (character === '"') inString = false;
    } else if (character === '"') {
      inString = true;
      out += character;
    } else if ("{[".includes(character)) {
      const end = character === "{" ? "}" : "]";
      const close = /^\s*/.exec(json.slice(index + 1, index + 20))?.[0].length ?? 0;
      if (json[index + 1 + close] === end) {
        out += character + end;
        index += close + 1;
      } else {
        depth += 1;
        out += character + line();
      }
    } else if ("}]".includes(character)) {
      depth = Math.max(0, depth - 1);
      out += line() + character;
    } else if (character === ",") out += character + line();
    else if (character === ":") out += ": ";
    else if (!/\s/.test(character)) out += character;
  }
  return out;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
