import { type Kysely, sql } from "kysely";

/** What people are notified of, and what they did. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Open until `cleared_at`; raised again while open, it only counts. `told_at` and `cleared_told_at`: when
  // the alarm webhook took its beginning and its end.
  await sql`
    create table alarm (
      id bigint generated always as identity,
      raised_at timestamptz not null default clock_timestamp(),
      last_raised_at timestamptz not null default clock_timestamp(),
      cleared_at timestamptz,
      told_at timestamptz,
      cleared_told_at timestamptz,
      times integer not null default 1,
      name text not null,
      source text not null,
      subject text not null,
      detail text not null,
      constraint alarm_pkey primary key (id)
    );
    comment on table alarm is 'What a person was told, since when, and whether it is over.';
    create unique index alarm_open on alarm (name, source, subject) where cleared_at is null;
    -- Most alarms that are open have been told; those of one invoice are for its timeline.
    create index alarm_untold on alarm (id) where cleared_at is null and told_at is null;
    create index alarm_subject on alarm (subject);
    create index alarm_end_untold on alarm (cleared_at)
      where cleared_at is not null and cleared_told_at is null;

    -- By it one process at a time tells people, and no oftener than it says: nobody does before next_at.
    create table alarm_telling (
      id boolean not null default true,
      next_at timestamptz not null default clock_timestamp(),
      failures integer not null default 0,
      constraint alarm_telling_pkey primary key (id),
      constraint alarm_telling_one_row_check check (id)
    );
    comment on table alarm_telling is
      'One row: when alarms are told next (ALARM_WEBHOOK_URL), and how often that failed.';
    insert into alarm_telling default values`.execute(db);

  // One entry for each thing that an action touched. `subject` is that thing (an invoice, an event, a topic, a
  // replay); `invoice_id` is filled where it belongs to one invoice, for its timeline.
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
    );
    comment on table audit_entry is 'Who did what by hand, to what, and why.';
    create index audit_entry_at on audit_entry (at);
    create index audit_entry_subject on audit_entry (subject, id);
    create index audit_entry_invoice on audit_entry (invoice_id) where invoice_id is not null`.execute(db);

  // For an invoice's timeline: asks and sends that failed, replays that had it asked about again, and the
  // verdict that a later one took the place of. Only these are noted, the first fifty of each kind; the
  // oldest have the smallest ids, by which retention finds them.
  await sql`
    create table history_entry (
      id bigint generated always as identity,
      invoice_id uuid not null,
      at timestamptz not null default clock_timestamp(),
      source text not null,
      kind text not null,
      detail text not null,
      constraint history_entry_pkey primary key (id),
      constraint history_entry_kind_check check (kind in ('ask_failed', 'send_failed', 'verdict'))
    );
    comment on table history_entry is 'What happened to an invoice and no other row shows any longer.';
    create index history_entry_invoice on history_entry (invoice_id)`.execute(db);
}
