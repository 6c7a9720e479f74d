import { type Kysely, sql } from "kysely";

/**
 * One question an invoice and source, and its answer. `requests` counts what asked for it: a claim remembers
 * the count, and an answer closes the question only while the count is still the same.
 * `attempt` counts steps on the ladder, `faults` failures in a row; only the first ends a question.
 * `released_at`: an operator let it out of quarantine. `record_only`: paid before the relay's start, so it is
 * recorded and not published, until something else asks for it.
 * Rows change several times, so pages keep room for it (fillfactor), and vacuum comes early.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table confirmation (
      invoice_id uuid not null,
      lease_token uuid,
      opened_at timestamptz not null,
      requested_at timestamptz not null,
      due_at timestamptz not null,
      claimed_until timestamptz,
      settled_at timestamptz,
      released_at timestamptz,
      requests integer not null default 1,
      attempt integer not null default 0,
      faults integer not null default 0,
      record_only boolean not null default false,
      source text not null,
      lane text not null default 'unknown',
      state text not null default 'due',
      opened_by text not null,
      verdict text,
      last_error text,
      last_answer text,
      constraint confirmation_pkey primary key (invoice_id, source),
      constraint confirmation_lane_check check (lane in ('known', 'unknown', 'replay')),
      constraint confirmation_state_check check (state in ('due', 'claimed', 'done', 'dead')),
      constraint confirmation_opened_by_check check (opened_by in ('callback', 'reconcile', 'replay', 'operator')),
      constraint confirmation_verdict_check
        check (verdict in ('pending', 'paid', 'quarantined', 'invalidated', 'not_paid', 'unknown_invoice')),
      constraint confirmation_lease_check
        check ((state = 'claimed') = (lease_token is not null and claimed_until is not null))
    ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`.execute(
    db,
  );
  await sql`create index confirmation_due on confirmation (source, lane, due_at) where state = 'due'`.execute(
    db,
  );
  await sql`create index confirmation_claimed on confirmation (claimed_until) where state = 'claimed'`.execute(
    db,
  );
  await sql`create index confirmation_dead on confirmation (settled_at) where state = 'dead'`.execute(db);
}
