import { DAY_MS } from "../../kit/time.ts";

/** No provider of ours is older; what some platforms write for "no date" is. */
export const EARLIEST = new Date("2000-01-01T00:00:00Z");

/** Up to so long before the creation, in ms, a payment is possible: its date may be a day without a time. */
export const BEFORE_CREATION_MS = DAY_MS;

/**
 * The creation of an invoice. In the future, it is of today, for a clock may be off by hours; past that, its
 * date is none.
 */
export function possibleCreation(createdAt: Date | null, now: Date): Date | null {
  if (createdAt === null || createdAt <= now) return createdAt;
  return createdAt.getTime() <= now.getTime() + DAY_MS ? now : null;
}

/**
 * A date of payment, whoever names it. One that is absurd, in the future or before the invoice's creation is
 * none.
 */
export function possiblePayment(paidAt: Date | null, createdAt: Date | null, now: Date): Date | null {
  if (paidAt === null || paidAt < EARLIEST || paidAt > now) return null;
  const created = possibleCreation(createdAt, now);
  return created !== null && paidAt.getTime() < created.getTime() - BEFORE_CREATION_MS ? null : paidAt;
}
