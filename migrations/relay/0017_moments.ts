import { type Kysely, sql } from "kysely";

/**
 * What time itself is to end. A confirmation that waits longer than its step of the ladder is found in one
 * step (Postgres' clock was set back). The share of unknown ids fades with time since `unknown_share_at`.
 * 429s in a row that named no moment are counted in `slow_downs`, apart from `faults`: reading a list ends
 * the former only, since it says nothing of Get Invoice.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index confirmation_ladder on confirmation (attempt, due_at)
      where state = 'due' and attempt + faults > 0`.execute(db);
  await sql`
    alter table source
      add column unknown_share_at timestamptz not null default clock_timestamp(),
      add column slow_downs integer not null default 0`.execute(db);
  await sql`alter table topic add column slow_downs integer not null default 0`.execute(db);
}
