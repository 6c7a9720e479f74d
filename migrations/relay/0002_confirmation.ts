import { type Kysely, sql } from "kysely";

/** What the provider is asked, and what it answered. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `requests` counts what asked for it: a claim remembers the count, and an answer closes the confirmation
  // only while the count is the same. `asked_at`: when the provider was last asked, which is when the claim
  // was taken. `open_since`: when the oldest request came that no answer has covered yet, which no failed try moves; null
  // once an answer has. `attempt` counts steps on the ladder, `faults` failures in a row; only the first ends a
  // confirmation. `record_only`: it is recorded and not published, until something else asks for it.
  // `released_at`: an operator let it out of quarantine. `dismissed_at`: an operator wants to see it no more,
  // until it is decided again. `erased_at`: the mark that keeps later answers from bringing erased personal
  // data back. `callback_id`: the newest callback that named it. `traceparents`: of the callback that opened it and
  // of those that coalesced with it, nine at most, while traces are on. `listed_digest`: what the list said of
  // the invoice when a sweep last had it asked about, so that no sweep asks again until the list says something
  // else.
  //
  // Rows change several times, so vacuum comes early. No page keeps room for it: each change moves the row in an index.
  await sql`
    create table confirmation (
      invoice_id uuid not null,
      lease_token uuid,
      callback_id uuid,
      opened_at timestamptz not null,
      open_since timestamptz,
      requested_at timestamptz not null,
      due_at timestamptz not null,
      asked_at timestamptz,
      claimed_until timestamptz,
      settled_at timestamptz,
      released_at timestamptz,
      dismissed_at timestamptz,
      erased_at timestamptz,
      requests integer not null default 1,
      attempt integer not null default 0,
      faults integer not null default 0,
      record_only boolean not null default false,
      source text not null,
      priority text not null default 'unknown',
      state text not null default 'due',
      opened_by text not null,
      traceparents text,
      verdict text,
      last_error text,
      last_answer text,
      listed_digest text,
      constraint confirmation_pkey primary key (invoice_id, source),
      constraint confirmation_priority_check check (priority in ('known', 'unknown', 'replay')),
      constraint confirmation_state_check check (state in ('due', 'claimed', 'done', 'dead')),
      constraint confirmation_opened_by_check
        check (opened_by in ('callback', 'reconcile', 'replay', 'operator')),
      constraint confirmation_verdict_check
        check (verdict in ('pending', 'paid', 'quarantined', 'invalidated', 'not_paid', 'unknown_invoice')),
      constraint confirmation_traceparents_check
        check (traceparents ~ '^00-[0-9a-f-]{52}( 00-[0-9a-f-]{52}){0,8}$'),
      constraint confirmation_lease_check
        check ((state = 'claimed') = (lease_token is not null and claimed_until is not null))
    ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
    comment on table confirmation is
      'What is to be asked about an invoice, and what came of it: one row for each invoice and source.';

    create index confirmation_due on confirmation (source, priority, (least(attempt + faults, 1)), due_at)
      where state = 'due';
    create index confirmation_claimed on confirmation (claimed_until) where state = 'claimed';
    create index confirmation_dead on confirmation (settled_at) where state = 'dead';
    create index confirmation_quarantined on confirmation (settled_at) where verdict = 'quarantined';
    create index confirmation_replaying on confirmation (source)
      where attempt = 0 and priority = 'replay' and state in ('due', 'claimed');
    create index confirmation_not_paid on confirmation (verdict, opened_at, invoice_id)
      where verdict <> 'paid';
    create index confirmation_unknown on confirmation (settled_at) where verdict = 'unknown_invoice';
    -- Settled once for each answer, when the row leaves the other indexes anyway: retention walks it by age.
    create index confirmation_legible on confirmation (settled_at)
      where erased_at is null and state in ('done', 'dead')`.execute(db);

  // Whatever comes in about one of these is recorded without its contents. What was being recorded as the
  // mark was made is looked for once more: `checked_at` says when.
  await sql`
    create table erased_invoice (
      id uuid not null,
      erased_at timestamptz not null default clock_timestamp(),
      checked_at timestamptz,
      constraint erased_invoice_pkey primary key (id)
    );
    comment on table erased_invoice is
      'Invoices whose personal data was erased: nothing is kept of what comes in about them.';
    create index erased_invoice_unchecked on erased_invoice (erased_at) where checked_at is null`.execute(db);

  // Personal data stands in `document`, `title` and `reference`, so that erasing has one place to go. `document` is
  // json as text: jsonb would refuse NUL escapes and change the digits of numbers.
  await sql`
    create table invoice (
      id uuid not null,
      created_at timestamptz,
      modified_at timestamptz,
      paid_at timestamptz,
      asked_at timestamptz not null,
      confirmed_at timestamptz not null,
      erased_at timestamptz,
      amount numeric,
      service_charge numeric,
      vat numeric,
      total_amount numeric,
      settleable_amount numeric,
      source text not null,
      status text not null,
      type text,
      collection_name text,
      title text,
      reference text,
      payment_method text,
      service_fee_payer text,
      digest text not null,
      document json not null,
      constraint invoice_pkey primary key (source, id)
    );
    comment on table invoice is 'The newest confirmed answer about each invoice.';
    create index invoice_paid_at on invoice (source, paid_at) where paid_at is not null;
    -- For whoever has the merchant's own number.
    create index invoice_reference on invoice (reference) where reference is not null;
    -- For what was confirmed lately.
    create index invoice_confirmed_at on invoice using brin (confirmed_at);

    -- Looked up by its invoice alone, so that the primary key is its one index.
    create table invoice_snapshot (
      id bigint generated always as identity,
      invoice_id uuid not null,
      asked_at timestamptz not null,
      recorded_at timestamptz not null default clock_timestamp(),
      erased_at timestamptz,
      source text not null,
      status text not null,
      digest text not null,
      document json not null,
      constraint invoice_snapshot_pkey primary key (source, invoice_id, id)
    );
    comment on table invoice_snapshot is
      'Every other answer that differed, older or replaced.'`.execute(db);
}
