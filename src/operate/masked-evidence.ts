const MASK = "***";

/** Keys whose text is about a person, however they are spelled; collection, bank and channel names are not. */
const PERSONAL_TEXT =
  /("(?:(?:payer|biller|customer|user|first|last|full|account)_?name|name|(?:\w*_?)(?:email|phone|phone_?number|address|account_?number))"\s*:\s*)"(?:[^"\\]|\\.)*("|$)/gi;
const METADATA = /("(?:biller_?)?meta_?data"\s*:\s*)(?:\{[^{}]*(\}|$)|"(?:[^"\\]|\\.)*("|$))/gi;
const EMAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
const PHONE = /\+\d[\d ().-]{6,}\d/g;
const TOKEN_IN_URL = /(\/callbacks\/)[A-Za-z0-9_-]{22,}/g;

/**
 * Evidence for a screen or `--json`: names, addresses, phone numbers, metadata and callback tokens become `***`.
 * It takes any text, JSON that was cut off included.
 */
export function maskedEvidence(text: string): string {
  return text
    .replace(METADATA, `$1"${MASK}"`)
    .replace(PERSONAL_TEXT, `$1"${MASK}"`)
    .replace(EMAIL, MASK)
    .replace(PHONE, MASK)
    .replace(TOKEN_IN_URL, `$1${MASK}`);
}
