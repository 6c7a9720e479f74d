import Big from "big.js";
import type { CollectionRow } from "./collection-statements.ts";

/**
 * What an invoice over `amount` comes to, by the terms of its collection. The fee and its VAT are each rounded
 * half up to two decimals, and the sums are made of the rounded figures, so that what is shown adds up.
 * The payer bears the fee: totalAmount = amount + serviceCharge + vat, settleableAmount = amount
 * (interface, part A). The merchant bears it: totalAmount = amount, and the fee comes off what is settled.
 */
export function billingColumns(collection: CollectionRow, amount: string) {
  const { id, fee, service_fee_billing, settlement_frequency } = collection;
  const net = new Big(amount);
  const uncapped = net.times(fee.percent).div(100).plus(fee.flat);
  const serviceCharge = (fee.cap !== null && uncapped.gt(fee.cap) ? new Big(fee.cap) : uncapped).round(2);
  const vat = serviceCharge.times(fee.vatPercent).div(100).round(2);
  const charges = serviceCharge.plus(vat);
  const isPayers = service_fee_billing === "Payer";
  return {
    collection_id: id,
    amount: net.toFixed(2),
    service_charge: serviceCharge.toFixed(2),
    vat: vat.toFixed(2),
    total_amount: (isPayers ? net.plus(charges) : net).toFixed(2),
    settleable_amount: (isPayers ? net : net.minus(charges)).toFixed(2),
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
