import { withoutCallbackTokens } from "./callback-tokens.ts";

/** How much of a foreign text is looked at, in characters; the rest is left out. */
const MOST_LOOKED_AT = 8_192;
const LONGEST_WORD = 512;

// Each pattern begins with something that its own repetition cannot hold, or is bounded: none looks at a
// character more than a few times, whatever the text.
const CREDENTIALS: readonly [pattern: RegExp, instead: string][] = [
  [/\b(bearer|basic)\s{1,8}[\w.~+/=-]{8,}/gi, "$1 ***"],
  [/(:\/\/)[^\s/@"']+@/g, "$1***@"],
  [
    /\b(x-api-key|x-amz-security-token|authorization|cookie|password|api[_-]?key)(["']?\s{0,8}[:=]\s{0,8}["']?)[^\s"',;]+/gi,
    "$1$2***",
  ],
];

/**
 * Everything between two delimiters that has an `@` in it; the look back lets only the run's beginning match.
 */
const RUN_WITH_AT = /(?<![^\s"'<>(),:;])[^\s"'<>(),:;@]*@[^\s"'<>(),:;]*/g;

/** International, or with a leading zero; a UUID's or a date's digits are left alone. */
const PHONE = /(?<![\w.:-])(?:\+\d[\d ().-]{6,16}\d|0\d[\d ().-]{6,16}\d(?![\w:-]))/g;

/**
 * Somebody else's words (an error of the provider, of SNS, of Postgres) before they are logged or stored:
 * callback tokens, credentials, e-mail addresses and phone numbers are masked. A name cannot be told from
 * other words, so what may hold one is not quoted at all.
 * @returns at most 8,192 characters.
 */
export function quietText(text: string): string {
  const quiet = CREDENTIALS.reduce(
    (masked, [pattern, instead]) => masked.replaceAll(pattern, instead),
    withoutCallbackTokens(firstWords(text)),
  );
  return withoutContacts(quiet);
}

/** Any text without e-mail addresses and phone numbers. Linear in the text, whatever it is. */
export const withoutContacts = (text: string): string =>
  withoutEMailAddresses(text).replaceAll(PHONE, "[phone]");

export function withoutEMailAddresses(text: string): string {
  return text.includes("@") ? text.replaceAll(RUN_WITH_AT, maskedRun) : text;
}

/**
 * In `to=ada@example.com` or a path, what stands before the last `=`, `/` or `*` is no part of the address.
 */
function maskedRun(run: string): string {
  for (let at = run.indexOf("@"); at !== -1 && at + 1 < run.length; at = run.indexOf("@", at + 1)) {
    let start = at;
    while (start > 0 && !"=/*".includes(run[start - 1] as string)) start -= 1;
    if (start < at) return `${run.slice(0, start)}[e-mail]`;
  }
  return run;
}

/**
 * The beginning of a long text: nobody reads more of an error, and what is not there needs no matching. Half
 * an address at the cut would not look like one any more: its whole word goes, unless that is endless.
 */
export function firstWords(text: string): string {
  if (text.length <= MOST_LOOKED_AT) return text;
  const end = Math.max(text.lastIndexOf(" ", MOST_LOOKED_AT), MOST_LOOKED_AT - LONGEST_WORD);
  return `${text.slice(0, end)}…`;
}
