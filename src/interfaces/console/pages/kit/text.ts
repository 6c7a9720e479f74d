export { countText, numberOf } from "../../../../platform/values/text.ts";

/** Thousands apart, at least two decimals, digit by digit: it never becomes a number. Other texts stay unchanged. */
export function moneyText(amount: string): string {
  const read = /^(-?)0*(\d+)(?:\.(\d+))?$/.exec(amount);
  if (read === null) return amount;
  const [, sign = "", whole = "0", decimals = ""] = read;
  return `${sign === "" ? "" : "−"}${whole.replaceAll(/\B(?=(\d{3})+$)/g, ",")}.${decimals.padEnd(2, "0")}`;
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Text as it came, or a character that would hide, move or imitate others, shown as an escape. */
type Piece = { text: string } | { escape: string };

/** Control and format characters, odd spaces, private and lone surrogate code points, and what decoding put. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u00a0\u115f\u1160\u3164\uffa0\ufffd]|[\p{Zs}](?<! )/gu;

/** Line feeds, carriage returns before them, and tabs are layout in a text of many lines. */
const LAYOUT = new Set(["\n", "\t"]);

/** Shows every hidden character of a text from outside. @param lines keep line feeds and tabs as they are. */
export function visiblePieces(text: string, { lines = false } = {}): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    if (lines && LAYOUT.has(character)) continue;
    if (lines && character === "\r" && text[index + 1] === "\n") continue;
    if (index > end) pieces.push({ text: text.slice(end, index) });
    pieces.push(escapeOf(character));
    end = index + character.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

/** The same as one string, for a title or a label. */
export const visibleText = (text: string): string =>
  visiblePieces(text)
    .map((piece) => ("text" in piece ? piece.text : piece.escape))
    .join("");

function escapeOf(character: string): Piece {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return { escape: code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}` };
}

export const shortId = (id: string): string => `${visibleText(id).slice(0, 8)}…`;
