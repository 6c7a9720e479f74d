/**
 * A decimal string with its thousands apart and at least two decimals, digit by digit: no number is made of
 * it. What is no decimal is left as it is.
 */
export function moneyText(amount: string): string {
  const read = /^(-?)0*(\d+)(?:\.(\d+))?$/.exec(amount);
  if (read === null) return amount;
  const [, sign = "", whole = "0", decimals = ""] = read;
  return `${sign === "" ? "" : "−"}${whole.replaceAll(/\B(?=(\d{3})+$)/g, ",")}.${decimals.padEnd(2, "0")}`;
}

/** A count with its thousands apart. */
export const countText = (count: number): string => count.toLocaleString("en-US");
