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
