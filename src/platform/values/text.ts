const PLAIN = /^[\x20-\x7E]*$/;

/**
 * Text that Postgres, XML and SNS take: NUL and other control characters, the two non-characters and lone
 * surrogates become U+FFFD, the replacement character. Tabs and line ends stay.
 */
export const storableText = (text: string): string =>
  PLAIN.test(text)
    ? text
    : text
        .toWellFormed()
        .replaceAll(/(?:[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF])+/gu, (run) => "\uFFFD".repeat(run.length));

/** A path, percent-decoded, segment by segment: a broken one spoils no other. Each broken one costs an exception. */
export function decodedPath(path: string): string {
  const segments = path.split("/", 33);
  if (segments.length > 32) return decodedText(path) ?? path;
  return segments.map((segment) => decodedText(segment) ?? segment).join("/");
}

/** null where the percent-encoding is broken. */
function decodedText(text: string): string | null {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/**
 * Text from outside as one line: what could control a terminal, break a line or change the reading order becomes
 * U+FFFD (control characters, format characters such as bidi and zero-width ones, line separators).
 */
export const plainText = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD");

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** A text inside of HTML or XML. */
export const markupText = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);

/** A text as a list shows it: at most this many characters, the last an ellipsis where more follow. */
export const shortText = <Text extends string | null>(text: Text, most = 40): Text | string =>
  text === null || text.length <= most ? text : `${[...(text as string)].slice(0, most - 1).join("")}…`;

/** Ends as a sentence does, so that another can follow. */
export const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** A number as people read it: `12,345`. */
export const countText = (count: number): string => Math.round(count).toLocaleString("en-US");

/** "1 gap", "7 gaps". */
export const numberOf = (count: number, one: string, several = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : several}`;

export const money = <Amount extends string | null | undefined>(amount: Amount): Amount | string =>
  amount?.replace(/\B(?=(\d{3})+(?!\d)(?=\.|$))(?<!\.\d*)/g, ",") ?? amount;

/** An amount with its currency: `NGN 1,234,567.50`; without one where the settings name none. */
export const moneyIn = <Amount extends string | null | undefined>(
  currency: string | undefined,
  amount: Amount,
): Amount | string =>
  amount == null || currency === undefined ? money(amount) : `${currency} ${money(amount)}`;

// Reading texts as spreadsheets would, and writing ours so that spreadsheets do not interpret them.

const DECIMAL = /^-?\d+(\.\d+)?$/;

/** Characters that spreadsheets take for the start of a formula, including full-width forms. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/u;

/** A text for a cell that is known to hold text: on one line, and without what XML cannot hold. */
export const cellText = (value: string): string => plainText(value).toWellFormed();

/** Text that looks like a formula gets an apostrophe. (csv-stringify's option would give negative amounts one.) */
function withoutFormula(value: string): string {
  const text = cellText(value);
  return FORMULA.test(text) && !DECIMAL.test(text) ? `'${text}` : text;
}

/** RFC 4180, for csv-stringify. */
export const CSV_FORM = {
  record_delimiter: "windows",
  // Spreadsheets in some countries split at semicolons, and trim spaces.
  quoted_match: /[,;]|^\s|\s$/,
  cast: { string: withoutFormula },
} as const;
