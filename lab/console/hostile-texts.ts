/** Runs where it becomes an element or a script, and then says so in `window.ran`. */
export const MARKUP =
  `"'><img src=x onerror="window.ran='img'"><script>window.ran='script'</script>` + "<b data-made>";

/** Turns a terminal's or a person's eyes: escape sequence, bell, C1, NUL is for bytes only. */
const CONTROLS = "\u0007\u001b[31m\u009b\u007f";

/** Right-to-left override and its kin, and characters without a width. */
const BIDI = "\u202egnp.exe\u202c\u2066\u2069\u200e\u200b\ufeff";

/** A text that is all of it, with a word in front that a test finds it again by. */
export const hostile = (word: string) => `${word}${MARKUP}${BIDI}${CONTROLS}`;

/** What a page must never hold as it came: it would be seen as something else than it is. */
export const UNSEEN =
  "[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f" +
  "\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff]";
