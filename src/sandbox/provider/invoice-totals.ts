import Big from "big.js";

/** How the service fee is worked out; decimal strings. */
export interface FeeTerms {
  /** Per cent of the amount, such as `1.5`. */
  percent: string;
  /** Added to that, such as `0.00`. */
  flat: string;
  /** The most that the fee may be; null for no limit. */
  cap: string | null;
  /** VAT on the fee, in per cent, such as `7.5`. */
  vatPercent: string;
}

/** Decimal strings with two decimals. */
export interface InvoiceTotals {
  amount: string;
  serviceCharge: string;
  vat: string;
  totalAmount: string;
  settleableAmount: string;
}

/**
 * What an invoice over `amount` comes to. The fee and its VAT are each rounded half up to two decimals, and
 * the sums are made of the rounded figures, so that what is shown adds up.
 * The payer bears the fee: totalAmount = amount + serviceCharge + vat, settleableAmount = amount
 * (interface, part A). The merchant bears it: totalAmount = amount, and the fee comes off what is settled.
 */
export function invoiceTotals(amount: string, fee: FeeTerms, billing: "Payer" | "Merchant"): InvoiceTotals {
  const net = new Big(amount);
  const uncapped = net.times(fee.percent).div(100).plus(fee.flat);
  const serviceCharge = (fee.cap !== null && uncapped.gt(fee.cap) ? new Big(fee.cap) : uncapped).round(2);
  const vat = serviceCharge.times(fee.vatPercent).div(100).round(2);
  const charges = serviceCharge.plus(vat);
  const totals = {
    amount: net,
    serviceCharge,
    vat,
    totalAmount: billing === "Payer" ? net.plus(charges) : net,
    settleableAmount: billing === "Payer" ? net : net.minus(charges),
  };
  return {
    amount: totals.amount.toFixed(2),
    serviceCharge: totals.serviceCharge.toFixed(2),
    vat: totals.vat.toFixed(2),
    totalAmount: totals.totalAmount.toFixed(2),
    settleableAmount: totals.settleableAmount.toFixed(2),
  };
}
