import { type Kysely, sql } from "kysely";

/** What came of each bank statement that was matched; no text of it, which may name people. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `first_day`, `last_day`: of the bank, both included. `collection`: null when it was matched with all of them.
  // `settle_days`: null when each collection's frequency says it. `clean`: nothing is left to be explained.
  // `result_sha256`: of its items, so that the same result can be told from another.
  await sql`
    create table statement_match (
      id uuid not null,
      made_at timestamptz not null default clock_timestamp(),
      first_day date not null,
      last_day date not null,
      settle_days integer,
      keep_duplicates boolean not null default false,
      clean boolean not null,
      source text not null,
      collection text,
      time_zone text not null,
      currency text not null,
      file_name text not null,
      file_sha256 text not null,
      result_sha256 text not null,
      made_by text not null,
      mapping json not null,
      figures json not null,
      constraint statement_match_pkey primary key (id),
      constraint statement_match_days_check check (first_day <= last_day),
      constraint statement_match_sha256_check
        check (file_sha256 ~ '^[0-9a-f]{64}$' and result_sha256 ~ '^[0-9a-f]{64}$')
    );
    comment on table statement_match is
      'Bank statements that were matched with what was to be settled, and the figures of it.';
    create index statement_match_latest on statement_match (source, made_at);

    create table statement_match_item (
      match_id uuid not null,
      position integer not null,
      state text not null,
      item json not null,
      constraint statement_match_item_pkey primary key (match_id, position)
    );
    comment on table statement_match_item is
      'Lines of a bank statement and sums of the books that belong together, or were left over.'`.execute(db);
}
