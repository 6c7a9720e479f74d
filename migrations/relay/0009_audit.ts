import { type Kysely, sql } from "kysely";

/**
 * Who changed what by hand: one entry for each thing that an action touched. `subject` is that thing (an invoice,
 * an event, a topic, a replay); `invoice_id` is filled where it belongs to one invoice, for its timeline.
 * Erasing leaves the digest of what stood there. The mark stands on the question too, because an answer under way
 * is judged by what its claim read there.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_entry (
      id bigint generated always as identity,
      at timestamptz not null default clock_timestamp(),
      invoice_id uuid,
      actor text not null,
      action text not null,
      subject text not null,
      detail json not null,
      constraint audit_entry_pkey primary key (id)
    )`.execute(db);
  await sql`create index audit_entry_at on audit_entry (at)`.execute(db);
  await sql`create index audit_entry_invoice on audit_entry (invoice_id) where invoice_id is not null`.execute(
    db,
  );
  await sql`alter table callback add column erased_digest text`.execute(db);
  await sql`alter table confirmation add column erased_at timestamptz`.execute(db);
  await sql`alter table event add column erased_at timestamptz, add column erased_digest text`.execute(db);
  await sql`create index confirmation_unknown on confirmation (requested_at) where verdict = 'unknown_invoice'`.execute(
    db,
  );
}
