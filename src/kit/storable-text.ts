const REFUSED = /(?![\t\n\r])[\p{Cc}\uFFFE\uFFFF]/gu;

const PLAIN = /^[\x20-\x7E]*$/;

/**
 * Text that Postgres, XML and SNS take: NUL and other control characters, the two non-characters and lone
 * surrogates become U+FFFD, the replacement character. Tabs and line ends stay.
 */
export function storableText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.toWellFormed().replace(REFUSED, "\uFFFD");
}
