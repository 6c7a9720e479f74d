import Big from "big.js";
import type { CollectionRow } from "./collection-statements.ts";

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

/**
 * What an invoice over `amount` comes to. The fee and its VAT are each rounded half up to two decimals, and
 * the sums are made of the rounded figures, so that what is shown adds up.
 * The payer bears the fee: totalAmount = amount + serviceCharge + vat, settleableAmount = amount
 * (interface, part A). The merchant bears it: totalAmount = amount, and the fee comes off what is settled.
 */
export function invoiceTotals(amount: string, fee: FeeTerms, billing: "Payer" | "Merchant") {
  const net = new Big(amount);
  const uncapped = net.times(fee.percent).div(100).plus(fee.flat);
  const serviceCharge = (fee.cap !== null && uncapped.gt(fee.cap) ? new Big(fee.cap) : uncapped).round(2);
  const vat = serviceCharge.times(fee.vatPercent).div(100).round(2);
  const charges = serviceCharge.plus(vat);
  return {
    amount: net.toFixed(2),
    serviceCharge: serviceCharge.toFixed(2),
    vat: vat.toFixed(2),
    totalAmount: (billing === "Payer" ? net.plus(charges) : net).toFixed(2),
    settleableAmount: (billing === "Payer" ? net : net.minus(charges)).toFixed(2),
  };
}

/** What an invoice over `amount` takes over from its collection. */
export function billingColumns(collection: CollectionRow, amount: string) {
  const { id, fee, service_fee_billing, settlement_frequency } = collection;
  const totals = invoiceTotals(amount, fee, service_fee_billing);
  return {
    collection_id: id,
    amount: totals.amount,
    service_charge: totals.serviceCharge,
    vat: totals.vat,
    total_amount: totals.totalAmount,
    settleable_amount: totals.settleableAmount,
    service_fee_payer: service_fee_billing,
    settlement_frequency,
  };
}

const HOUR_MS = 3_600_000;

/** The periods that a collection's invoices may stay payable (interface, parts A and B), in ms. */
const PERIODS = {
  OneHour: HOUR_MS,
  SixHours: 6 * HOUR_MS,
  TwelveHours: 12 * HOUR_MS,
  OneDay: 24 * HOUR_MS,
  TwoDays: 48 * HOUR_MS,
  ThreeDays: 72 * HOUR_MS,
  OneWeek: 7 * 24 * HOUR_MS,
  ThirtyDays: 30 * 24 * HOUR_MS,
} as const;

type ExpirationPeriod = keyof typeof PERIODS;

export const EXPIRATION_PERIODS = Object.keys(PERIODS) as [ExpirationPeriod, ...ExpirationPeriod[]];

/** How long an invoice stays payable after its creation, in ms. A period that nobody knows counts as a day. */
export function lifetimeMs(period: string): number {
  return Object.hasOwn(PERIODS, period) ? PERIODS[period as ExpirationPeriod] : PERIODS.OneDay;
}
