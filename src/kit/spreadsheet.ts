import { plainText } from "./text.ts";

// What spreadsheets make of texts from outside, and how ours are written so that they make nothing of them.

const NUMBER = /^-?\d+(\.\d+)?$/;

/** What spreadsheets take for the start of a formula, including full-width forms. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/u;

/** A text for a cell that is known to hold text: on one line, and without what XML cannot hold. */
export const cellText = (value: string): string => plainText(value).toWellFormed();

/** Text that looks like a formula gets an apostrophe. (csv-stringify's option would give negative amounts one.) */
function withoutFormula(value: string): string {
  const text = cellText(value);
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

/** RFC 4180, for csv-stringify. */
export const CSV_FORM = {
  record_delimiter: "windows",
  // Spreadsheets in some countries split at semicolons, and trim spaces.
  quoted_match: /[,;]|^\s|\s$/,
  cast: { string: withoutFormula },
} as const;
