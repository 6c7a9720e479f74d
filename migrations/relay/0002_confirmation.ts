import { type Kysely, sql } from "kysely";

/**
 * One row for each invoice and source: what the provider is to be asked, and what came of it. `requests`
 * counts what asked for it: a claim remembers the count, and an answer closes the confirmation only while the
 * count is the same. `attempt` counts steps on the ladder, `faults` failures in a row; only the first ends a
 * confirmation. `record_only`: it is recorded and not published, until something else asks for it.
 * `released_at`: an operator let it out of quarantine. `dismissed_at`: an operator wants to see it no more,
 * until it is decided again. `erased_at`: the mark that keeps later answers from bringing erased personal
 * data back. `sender`: the address of the callback that opened it, so that a flood from one address does not
 * bury the others; of an erased one, who asked for it since, or an empty text. `callback_id`: the newest
 * callback that named it. `traceparents`: of the callback that opened it and of those that coalesced with it,
 * nine at most, while traces are on. Rows change several times, so pages keep room for it (fillfactor), and
 * vacuum comes early.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table confirmation (
      invoice_id uuid not null,
      lease_token uuid,
      callback_id uuid,
      opened_at timestamptz not null,
      requested_at timestamptz not null,
      due_at timestamptz not null,
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
      sender text,
      traceparents text,
      verdict text,
      last_error text,
      last_answer text,
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
    ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02,
      autovacuum_vacuum_threshold = 1000)`.execute(db);
  for (const [name, columns, condition] of [
    ["confirmation_due", "source, priority, (least(attempt + faults, 1)), due_at", "state = 'due'"],
    [
      "confirmation_senders",
      "source, (hashtext(coalesce(sender, ''))), due_at",
      // Only who asks for the sender may use it: a claim in order of time would sort all of it.
      "state = 'due' and priority = 'unknown' and coalesce(sender, '') is not null",
    ],
    ["confirmation_claimed", "claimed_until", "state = 'claimed'"],
    ["confirmation_dead", "settled_at", "state = 'dead'"],
    ["confirmation_quarantined", "settled_at", "verdict = 'quarantined'"],
    [
      "confirmation_replaying",
      "source",
      "attempt = 0 and priority = 'replay' and state in ('due', 'claimed')",
    ],
    ["confirmation_not_paid", "verdict, opened_at, invoice_id", "verdict <> 'paid'"],
    ["confirmation_unknown", "settled_at", "verdict = 'unknown_invoice'"],
    // Settled once for each answer, when the row leaves the other indexes anyway: retention walks it by age.
    ["confirmation_legible", "settled_at", "erased_at is null and state in ('done', 'dead')"],
    ["confirmation_reopened", "erased_at", "erased_at is not null and sender is not null"],
  ] as const)
    await sql`
      create index ${sql.raw(name)} on confirmation (${sql.raw(columns)})
        where ${sql.raw(condition)}`.execute(db);
}
