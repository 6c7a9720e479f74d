import { type BookPeriod, bookDayOf, DAY_MS } from "../../../platform/values/index.ts";
import { possibleCreation, possiblePayment } from "../list/list-period.ts";
import type { PaymentFacts } from "./payment-facts.ts";

export interface DayTerms {
  window: BookPeriod;
  now: Date;
  /** The zone whose days are counted. */
  zone: string;
}

/** `perhaps`: another date of it lies in the period. */
type PaymentDay = { kind: "surely" | "perhaps"; day: string };

/**
 * The day on which it counts: that of the confirmed answer, or else of the list; without one, of its creation.
 * @returns null when it belongs to another period.
 */
export function datePayment(
  facts: PaymentFacts,
  { window: { from, to }, now, zone }: DayTerms,
): PaymentDay | null {
  const within = (moment: Date) => moment >= from && moment < to;
  const created = possibleCreation(namedCreation(facts), now);
  const dates = possibleDatesOf(facts, now);
  const [confirmed] = dates;
  if (confirmed !== undefined && within(confirmed))
    return { kind: "surely", day: bookDayOf(confirmed, zone) };
  const other = dates.find(within);
  if (other !== undefined) return { kind: "perhaps", day: bookDayOf(other, zone) };
  if (confirmed !== undefined) return null;
  if (created === null) {
    // A callback comes soon after its payment.
    const last = new Date(to.getTime() - 1);
    const { openedAt, listed, status, eventId } = facts;
    const isOnlyOpened = !listed && status === null && eventId === null && openedAt !== null;
    if (isOnlyOpened && openedAt.getTime() >= to.getTime() + DAY_MS) return null;
    const isNear = openedAt !== null && openedAt >= from;
    return {
      kind: "surely",
      day: bookDayOf(isNear ? Math.min(openedAt.getTime(), last.getTime()) : from, zone),
    };
  }
  if (created >= to) return null;
  return created >= from
    ? { kind: "surely", day: bookDayOf(created, zone) }
    : { kind: "perhaps", day: bookDayOf(from, zone) };
}

/** The day on which a corrected payment counts, and that of its event, as far as the period has it. */
export function daysOf(
  { inPayload }: PaymentFacts,
  day: string,
  { window: { from, to }, zone }: DayTerms,
): string[] {
  const published = new Date(inPayload?.paidAt ?? Number.NaN);
  const isWithin = published >= from && published < to;
  return isWithin && bookDayOf(published, zone) !== day ? [day, bookDayOf(published, zone)] : [day];
}

const namedCreation = ({ createdAt, askedCreatedAt, listedCreatedAt }: PaymentFacts): Date | null =>
  askedCreatedAt ?? createdAt ?? listedCreatedAt;

/** Without those that can be none. */
export const possibleDatesOf = (facts: PaymentFacts, now: Date): Date[] =>
  datesOf(facts).filter((moment) => possiblePayment(moment, namedCreation(facts), now) !== null);

/** The times of payment: what Get Invoice says now, what it said, and what others say. */
export function datesOf({ askedPaidAt, paidAt, listedPaidAt, inPayload }: PaymentFacts): Date[] {
  const published = inPayload?.paidAt == null ? null : new Date(inPayload.paidAt);
  return [askedPaidAt, paidAt, listedPaidAt, published].filter(
    (moment): moment is Date => moment !== null && !Number.isNaN(moment.getTime()),
  );
}
