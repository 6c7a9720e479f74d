import { type Kysely, sql } from "kysely";

/** The processes that do the work, and which chore fails them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Each process of `serve` says every half minute that it lives, and takes its row away when it stops: a row
  // that is silent tells of a process that died or hangs. `beat_ms`: how often it says so; a Lambda function only as often
  // as its schedule runs. `serves`: its sources with their collections and
  // its topics, as its settings name them. `recording_problem`: why it cannot record callbacks; it stands in
  // a row that is there already and has room to be changed, since on a full disk no table takes another row.
  await sql`
    create table relay_process (
      id uuid not null,
      started_at timestamptz not null default clock_timestamp(),
      seen_at timestamptz not null default clock_timestamp(),
      pid integer not null,
      beat_ms integer not null default 30000,
      http boolean not null,
      workers boolean not null,
      host text not null,
      version text not null,
      serves jsonb not null default '{}',
      recording_problem jsonb,
      constraint relay_process_pkey primary key (id)
    ) with (fillfactor = 50);
    comment on table relay_process is 'The processes that run, and what each of them serves.';

    -- Whichever process tries, until it works again.
    create table failing_chore (
      failing_since timestamptz not null default clock_timestamp(),
      failures integer not null default 1,
      name text not null,
      last_error text not null,
      constraint failing_chore_pkey primary key (name)
    );
    comment on table failing_chore is 'Maintenance that failed lately, and why.'`.execute(db);
}
