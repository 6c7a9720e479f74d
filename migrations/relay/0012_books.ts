import { type Kysely, sql } from "kysely";

/** Certificates say whose days and money they are about. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `time_zone`: the zone whose days its days are, for ever: another one (BOOKS_TIME_ZONE) makes new ones.
  await sql`
    alter table certificate add column time_zone text not null default 'UTC',
      add column currency text not null default 'NGN';
    drop index certificate_daily;
    create unique index certificate_daily on certificate (source, day, time_zone) where day is not null`.execute(
    db,
  );
}
