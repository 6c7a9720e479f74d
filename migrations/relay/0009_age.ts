import { type Kysely, sql } from "kysely";

/** How long something has waited, which no failed try may shorten. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `open_since`: when the oldest request came that no answer has covered yet. `due_at` moves with each failed
  // try, so it cannot say that. null once an answer has covered it: unpaid and not found are answers too, and
  // what waits for its next step of the ladder is no backlog.
  //
  // `beat_ms`: how often the process says that it lives; a Lambda function only as often as its schedule runs.
  await sql`
    alter table confirmation add column open_since timestamptz;
    alter table relay_process add column beat_ms integer not null default 30000`.execute(db);
}
