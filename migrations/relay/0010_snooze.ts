import { type Kysely, sql } from "kysely";

/** What people have said of an alarm that is open. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `snoozed_until`: nobody is told of it before; people are told once more then, if it is still open. `note`:
  // who sees to it, and what was found out.
  await sql`
    alter table alarm add column snoozed_until timestamptz, add column note text;
    create index alarm_snoozed on alarm (snoozed_until) where cleared_at is null and snoozed_until is not null`.execute(
    db,
  );
}
