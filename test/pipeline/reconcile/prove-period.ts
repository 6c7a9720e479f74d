import { certify } from "../../../src/pipeline/reconcile/certificate/certify.ts";
import { type Place, placePayment } from "./place-payment.ts";
import { type Books, DAY_MS } from "./relay-books.ts";

/** UTC. */
export const midnight = (daysBack: number) => new Date(Math.floor(Date.now() / DAY_MS - daysBack) * DAY_MS);
export const PAID_AT = new Date(midnight(2).getTime() + 3_600_000);

/** A payment inside the period. */
export const place = (given: Books, options: Place = {}) =>
  placePayment(given, { paidAt: PAID_AT, ...options });

/** The certificate of twenty days up to today. */
export const prove = ({ context, source }: Books, changes = {}) =>
  certify(context, {
    ...{ source, window: { from: midnight(20), to: midnight(0) }, signal: new AbortController().signal },
    ...changes,
  });

/** Why each invoice differs. */
export const named = ({ differences }: Awaited<ReturnType<typeof prove>>) =>
  Object.fromEntries(differences.map(({ invoiceId, reason }) => [invoiceId, reason]));
