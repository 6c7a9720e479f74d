import type { Secret } from "../secret.ts";

const MASK = "***";

/** A slash as URLs, JSON and HTML write it; percent-encoded any number of times. */
const SLASH = String.raw`(?:\\?\/|%(?:25)*2f|\\u002f|&#(?:x2f|47);)`;

/** A segment of a path: up to what ends it, percent-encoded or not, or to the colon of a sentence. */
const SEGMENT = String.raw`(?:[^/?#&%:\s"'<>\\]|:(?!\s)|%(?!(?:25)*(?:2f|3f|23|26|22|20)))+`;

const CALLBACK_TOKEN = new RegExp(`(${SLASH}callbacks${SLASH}+)${SEGMENT}`, "gi");

/**
 * Any text without callback tokens: what follows `/callbacks/`, however the slashes are encoded. Tokens that
 * are no longer ours, or another relay's, are masked too. Linear in the text, whatever it is.
 */
export const withoutCallbackTokens = (text: string): string => text.replaceAll(CALLBACK_TOKEN, `$1${MASK}`);

/**
 * A mask for tokens that are known, wherever they stand: plain, with characters percent-encoded any number of
 * times, or escaped as in JSON; tokens behind `/callbacks/` are masked as well.
 * @param tokens letters, digits, `-` and `_`, as the settings take them.
 */
export function maskOf(tokens: readonly Secret[]): (text: string) => string {
  const known = tokens.map((token) => token.reveal()).filter((token) => token !== "");
  // An empty alternative would match everywhere.
  const anyOf = (forms: string[]) => new RegExp(forms.length > 0 ? forms.join("|") : "(?!)", "g");
  const plain = anyOf(known);
  const encoded = anyOf(known.map((token) => [...token].map(inAnyForm).join("")));
  return (text) => withoutCallbackTokens(text.replace(/%|\\u/.test(text) ? encoded : plain, MASK));
}

function inAnyForm(character: string): string {
  const hex = character.charCodeAt(0).toString(16);
  const digits = hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  return String.raw`(?:${character}|%(?:25)*${digits}|\\u00${digits})`;
}
