/** An amount as people read it: `1234567.50` as `1,234,567.50`, digit by digit. */
export const money = <Amount extends string | null | undefined>(amount: Amount): Amount | string =>
  amount?.replace(/\B(?=(\d{3})+(?!\d)(?=\.|$))(?<!\.\d*)/g, ",") ?? amount;

/** An amount with its currency: `NGN 1,234,567.50`; without one where the settings name none. */
export const moneyIn = <Amount extends string | null | undefined>(
  currency: string | undefined,
  amount: Amount,
): Amount | string =>
  amount == null || currency === undefined ? money(amount) : `${currency} ${money(amount)}`;
