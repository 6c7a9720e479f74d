import { type Kysely, sql } from "kysely";

/**
 * Readings of the provider's list, and what came of them. `sweep` and `certificate` are work under a lease as
 * well: who holds the lease reads, and a dead reader's work is taken up where it stood.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `decided_since` and `decided_to` say how far the payments that the list showed are looked at: the counts
  // move with them, so that no crash counts anything twice.
  await sql`
    create table sweep (
      id uuid not null,
      collection_id uuid not null,
      lease_token uuid,
      due_at timestamptz not null default clock_timestamp(),
      claimed_until timestamptz,
      started_at timestamptz,
      finished_at timestamptz,
      window_from timestamptz,
      window_to timestamptz,
      decided_since timestamptz,
      decided_to uuid,
      listed integer not null default 0,
      missing integer not null default 0,
      opened integer not null default 0,
      faults integer not null default 0,
      source text not null,
      state text not null default 'due',
      last_error text,
      constraint sweep_pkey primary key (id),
      constraint sweep_state_check check (state in ('due', 'claimed', 'done')),
      constraint sweep_lease_check
        check ((state = 'claimed') = (lease_token is not null and claimed_until is not null))
    );
    comment on table sweep is 'Looks at the provider''s own lists, to find what no callback told.';
    create unique index sweep_one_open on sweep (source, collection_id)
      where state <> 'done';
    create index sweep_finished on sweep (finished_at) where state = 'done';
    create index sweep_latest on sweep (source, collection_id, started_at)`.execute(db);

  // One without a `day` was asked for by a person, and has a row once it is made; those with one are the daily
  // run's. `time_zone`: the zone
  // whose days its days are, for ever: another one (BOOKS_TIME_ZONE) makes new ones.
  await sql`
    create table certificate (
      id uuid not null,
      lease_token uuid,
      created_at timestamptz not null default clock_timestamp(),
      due_at timestamptz not null default clock_timestamp(),
      claimed_until timestamptz,
      finished_at timestamptz,
      window_from timestamptz not null,
      window_to timestamptz not null,
      day date,
      paid integer,
      stored integer,
      published integer,
      gaps integer,
      differences integer,
      faults integer not null default 0,
      paid_amount numeric,
      stored_amount numeric,
      published_amount numeric,
      source text not null,
      time_zone text not null default 'UTC',
      currency text not null default 'NGN',
      state text not null default 'due',
      result text,
      last_error text,
      progress json,
      collection_ids uuid[] not null,
      document json,
      constraint certificate_pkey primary key (id),
      constraint certificate_state_check check (state in ('due', 'claimed', 'done')),
      constraint certificate_lease_check
        check ((state = 'claimed') = (lease_token is not null and claimed_until is not null)),
      constraint certificate_result_check check (result in ('equal', 'not_equal', 'refused')),
      constraint certificate_done_check
        check ((state = 'done') = (document is not null and gaps is not null and result is not null))
    );
    comment on table certificate is 'Proofs of completeness, made and to be made, with what they found.';
    create unique index certificate_daily on certificate (source, day, time_zone) where day is not null;
    create index certificate_created_at on certificate (created_at)`.execute(db);

  // Written with each certificate of all of a source's collections, and deleted by a later one of at least the
  // same. `result`, `gaps` and `counted` are of this day alone.
  await sql`
    create table certified_day (
      certificate_id uuid not null,
      begins_at timestamptz not null,
      ends_at timestamptz not null,
      day date not null,
      gaps integer not null,
      source text not null,
      time_zone text not null,
      result text not null,
      counted json,
      constraint certified_day_pkey primary key (source, time_zone, day, certificate_id),
      constraint certified_day_result_check check (result in ('equal', 'not_equal', 'refused'))
    );
    comment on table certified_day is
      'Each day of payment as the newest certificate shows it.'`.execute(db);

  // What the lists of paid invoices say, stored once by whichever reading saw it. A list names ids and decides
  // nothing: `label` is what it calls the status, `paid_until` the end of a date of payment that is only a
  // day. `counted`: the list shows it under a status that means paid, so that its `totalCount` includes it.
  // `seen_at` changes with what is said, and with each
  // reading of the whole list: it is in no index, so that such a reading stays cheap.
  await sql`
    create table listed_payment (
      invoice_id uuid not null,
      collection_id uuid not null,
      seen_at timestamptz not null,
      paid_at timestamptz,
      paid_until timestamptz,
      created_at timestamptz,
      counted boolean not null,
      amounts_differ boolean not null default false,
      amount numeric,
      source text not null,
      label text,
      digest text not null,
      constraint listed_payment_pkey primary key (source, invoice_id)
    ) with (fillfactor = 80);
    comment on table listed_payment is
      'What the provider''s lists say of each payment, as they were last read.';

    create table listed_collection (
      collection_id uuid not null,
      read_at timestamptz not null,
      source text not null,
      dates json,
      constraint listed_collection_pkey primary key (source, collection_id)
    );
    comment on table listed_collection is
      'When a collection''s list was last read whole, and what its dates and counts were found to mean.'`.execute(
    db,
  );

  // While a certificate is made: what Get Invoice said where it was asked, of payments that the lists leave
  // open or that only the books have. `unknown`: a status that is neither in PAID_STATUSES nor in
  // INVALID_STATUSES.
  await sql`
    create table asked_payment (
      certificate_id uuid not null,
      invoice_id uuid not null,
      paid_at timestamptz,
      created_at timestamptz,
      amount numeric,
      asked text,
      status text,
      type text,
      collection text,
      constraint asked_payment_pkey primary key (certificate_id, invoice_id),
      constraint asked_payment_asked_check
        check (asked in ('paid', 'not_paid', 'unknown', 'not_found', 'unclear'))
    );
    comment on table asked_payment is
      'What Get Invoice says of payments, kept while a certificate is made.'`.execute(db);
}
