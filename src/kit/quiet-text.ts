const CALLBACK_TOKEN = /((?:\/|%2f)callbacks(?:\/|%2f|\\\/))[^/?#&%\s"'\\]+/gi;

const PERSONAL_OR_SECRET: readonly [pattern: RegExp, instead: string][] = [
  [CALLBACK_TOKEN, "$1***"],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, "$1 ***"],
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi, "$1***@"],
  [
    /\b(x-api-key|x-amz-security-token|authorization|cookie|password|api[_-]?key)(["']?\s*[:=]\s*["']?)[^\s"',;]+/gi,
    "$1$2***",
  ],
  [/[^\s"'<>(),:;=/*]+@[^\s"'<>(),:;]+/g, "[e-mail]"],
  // International, or with a leading zero; a UUID's or a date's digits are left alone.
  [/(?<![\w.:-])(?:\+\d|0\d)[\d ().-]{6,16}\d(?![\w:-])/g, "[phone]"],
];

/**
 * Somebody else's words (an error of the provider, of SNS, of Postgres) before they are logged or stored: callback
 * tokens, credentials, e-mail addresses and phone numbers are masked. A name cannot be told from other words, so
 * what may hold one is not quoted at all.
 */
export function quietText(text: string): string {
  return PERSONAL_OR_SECRET.reduce((quiet, [pattern, instead]) => quiet.replaceAll(pattern, instead), text);
}

/** Somebody else's document before it is kept as evidence: personal data may stay in it, our tokens may not. */
export const withoutCallbackTokens = (text: string): string => text.replaceAll(CALLBACK_TOKEN, "$1***");
