// Lays out a statement by its clauses and parentheses, whatever its fragments' own line breaks are, so that a diff of
// two shows what changed.

const WIDTH = 110;

interface Token {
  text: string;
  /** Stands behind a blank. */
  spaced: boolean;
  /** Of a parenthesis or a `case`. */
  inside?: { tokens: Token[]; end: string };
}

const TOKEN = /(\s*)('(?:[^']|'')*'|"[^"]*"|[()]|,|[^\s()',"]+)/gy;
const CLAUSE =
  /^(with|select|insert|update|delete|from|where|join|left|inner|cross|group|having|order|limit|union|returning|set|values|on|for)$/;
/** Behind these a word begins no clause: `on` of a join, `from` of a comparison. */
const GLUED = /^((left|inner|cross) join|(distinct|delete) from|(for|do|key) update|\S+ on(?! conflict)) /;

/** @returns the statement, without a semicolon. */
export const formatSql = (text: string): string => layOut(read(text.trim().matchAll(TOKEN)), 0).join("\n");

function read(matches: Iterator<RegExpMatchArray>, end = ""): Token[] {
  const tokens: Token[] = [];
  for (let next = matches.next(); !next.done && next.value[2] !== end; next = matches.next()) {
    const [, blank = "", text = ""] = next.value;
    const token: Token = { text, spaced: blank !== "" && tokens.length > 0 };
    if (text === "(") token.inside = { tokens: read(matches, ")"), end: ")" };
    if (text === "case") token.inside = { tokens: read(matches, "end"), end: " end" };
    tokens.push(token);
  }
  return tokens;
}

const flat = (tokens: readonly Token[]): string =>
  tokens
    .map(({ text, spaced, inside }) => {
      const blank = text === "case" ? " " : "";
      return `${spaced ? " " : ""}${text}${inside ? `${blank}${flat(inside.tokens)}${inside.end}` : ""}`;
    })
    .join("")
    .trim();

const fits = (tokens: readonly Token[], indent: number) => indent + flat(tokens).length <= WIDTH;
const line = (text: string, indent: number) => `${" ".repeat(indent)}${text}`;

/** Cuts in front of each token that begins a part. */
function cut(tokens: readonly Token[], begins: (around: string, token: Token) => boolean): Token[][] {
  const parts: Token[][] = [];
  for (const [index, token] of tokens.entries()) {
    const around = [-1, 0, 1].map((by) => tokens[index + by]?.text ?? "").join(" ");
    if (index === 0 || begins(`${around} `, token)) parts.push([token]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

function layOut(tokens: readonly Token[], indent: number): string[] {
  if (fits(tokens, indent)) return [line(flat(tokens), indent)];
  return cut(tokens, (around, { text }) => CLAUSE.test(text) && !GLUED.test(around)).flatMap((clause) =>
    layOutClause(clause, indent),
  );
}

function layOutClause(clause: readonly Token[], indent: number): string[] {
  const isCase = clause.some(({ text }) => text === "when");
  const pieces = cut(clause, (around, { text }) =>
    isCase ? /^(when|else)$/.test(text) : around.startsWith(", ") || /^(and|or)$/.test(text),
  );
  const first = clause[0]?.text ?? "";
  // Parts of a list in parentheses, of a `case` and of a `with` are one like another.
  const further = CLAUSE.test(first) && first !== "with" ? indent + 2 : indent;
  const lines: string[] = [];
  let isOpen = false;
  for (const piece of pieces) {
    const last = lines.at(-1);
    const text = flat(piece);
    const isLine = isCase || piece.some(({ text }) => text === "case");
    if (isOpen && !isLine && last !== undefined && last.length + 1 + text.length <= WIDTH)
      lines[lines.length - 1] = `${last} ${text}`;
    else lines.push(...layOutPiece(piece, lines.length === 0 ? indent : further));
    isOpen = fits(piece, further) && !isLine;
  }
  return lines;
}

/** Opens the largest of its parentheses. */
function layOutPiece(piece: readonly Token[], indent: number): string[] {
  const sizes = piece.map(({ inside }) => (inside === undefined ? 0 : flat(inside.tokens).length));
  const at = sizes.indexOf(Math.max(...sizes));
  const opened = piece[at];
  if (fits(piece, indent) || !opened?.inside?.tokens.length) return [line(flat(piece), indent)];
  const head = flat([...piece.slice(0, at), { text: opened.text, spaced: opened.spaced }]);
  const tail = piece.slice(at + 1);
  const [first = "", ...more] = tail.length === 0 ? [""] : layOutPiece(tail, indent);
  const closing = `${opened.inside.end.trim()}${tail[0]?.spaced ? " " : ""}${first.trimStart()}`;
  return [line(head, indent), ...layOut(opened.inside.tokens, indent + 2), line(closing, indent), ...more];
}
