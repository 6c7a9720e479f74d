import { type Kysely, sql } from "kysely";

/**
 * A list names ids and decides nothing. `confirmation.listed_digest`: what the list said of the invoice when
 * a sweep last had it asked about, so that no sweep asks again until the list says something else.
 * `listed_payment.label` is what the list calls it, `paid_until` the end of a date of payment that is only a
 * day, and `asked` may be a status that is neither in PAID_STATUSES nor in INVALID_STATUSES.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table confirmation add column listed_digest text`.execute(db);
  await sql`
    alter table listed_payment
      add column paid_until timestamptz,
      add column label text,
      add column digest text,
      drop constraint listed_payment_asked_check,
      add constraint listed_payment_asked_check
        check (asked in ('paid', 'not_paid', 'unknown', 'not_found', 'unclear'))`.execute(db);
}
