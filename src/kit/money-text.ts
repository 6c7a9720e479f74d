export const money = <Amount extends string | null | undefined>(amount: Amount): Amount | string =>
  amount?.replace(/\B(?=(\d{3})+(?!\d)(?=\.|$))(?<!\.\d*)/g, ",") ?? amount;

/** An amount with its currency: `NGN 1,234,567.50`; without one where the settings name none. */
export const moneyIn = <Amount extends string | null | undefined>(
  currency: string | undefined,
  amount: Amount,
): Amount | string =>
  amount == null || currency === undefined ? money(amount) : `${currency} ${money(amount)}`;

const NUMBER = /^(?:\d{1,3}(?:[, ]\d{3})+|\d{1,20})(?:\.\d{1,10})?$/;
/** With a decimal comma: two digits after the last separator say so. */
const WITH_COMMA = /^(?:\d{1,3}(?:[. ]\d{3})+|\d{1,20}),\d\d$/;
const CURRENCY = /^(?<before>[a-z]{3}|[n₦$€£])\s*(?=\d)|(?<=\d)\s*(?<after>[a-z]{3}|[₦$€£])$/i;
const CODES: readonly string[] = Intl.supportedValuesOf("currency");

/** An amount as people write it (`40 645.00`, `40.645,00`, `₦40,645`). Pure. @returns its digits, or null. */
export function amountIn(text: string): string | null {
  const typed = text.trim();
  const { before, after = before } = CURRENCY.exec(typed)?.groups ?? {};
  // INV40645 is a reference.
  const isCurrency = after !== undefined && (after.length === 1 || CODES.includes(after.toUpperCase()));
  const number = isCurrency ? typed.replace(CURRENCY, "") : typed;
  if (WITH_COMMA.test(number)) return number.replaceAll(/[. ]/g, "").replace(",", ".");
  return NUMBER.test(number) ? number.replaceAll(/[, ]/g, "") : null;
}
