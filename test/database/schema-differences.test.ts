import { sql } from "kysely";
import { expect, it } from "vitest";
import { relaySchema } from "../../migrations/relay.schema.ts";
import { schemaDifferences } from "../../src/database/schema-differences.ts";
import { ownDatabase } from "../support/database.ts";

it("a constraint, an index, a trigger or a function that is missing or another is named, and nothing that was added", async () => {
  const { db } = await ownDatabase({ max: 1 });
  await sql`
    create table note (id int);
    create function note_it() returns trigger language plpgsql as $$ begin return new; end $$;
    create trigger note_it after insert on alarm for each row execute function note_it();
    create index alarm_detail on alarm (detail);
    alter table alarm add column colour text, add check (times > 0), set (fillfactor = 60)`.execute(db);
  expect(await schemaDifferences(db, relaySchema)).toEqual([]);

  await sql`
    drop index alarm_open;
    create index alarm_open on alarm (name) where cleared_at is null;
    alter table replay drop constraint replay_rate_check, add constraint replay_rate_check check (rate > 1);
    alter table event drop constraint event_one_of_a_type;
    drop trigger event_is_never_emptied on event;
    alter table event disable trigger event_is_insert_only;
    drop function drop_kept_callbacks;
    create or replace function event_is_insert_only() returns trigger language plpgsql as $$
      begin return new; end $$`.execute(db);
  const guard =
    "BEFORE DELETE OR UPDATE ON public.event FOR EACH ROW EXECUTE FUNCTION event_is_insert_only()";
  expect(await schemaDifferences(db, relaySchema)).toEqual([
    "index alarm_open of alarm is ON public.alarm USING btree (name) WHERE (cleared_at IS NULL), " +
      "not UNIQUE ON public.alarm USING btree (name, source, subject) WHERE (cleared_at IS NULL)",
    "constraint event_one_of_a_type of event is missing",
    `trigger event_is_insert_only of event is ${guard} (disabled), not ${guard}`,
    "trigger event_is_never_emptied of event is missing",
    "constraint replay_rate_check of replay is CHECK ((rate > 1)), not CHECK ((rate > 0))",
    "function drop_kept_callbacks(received timestamp with time zone[], ids uuid[]) is missing",
    expect.stringMatching(
      /^function event_is_insert_only\(\) is returns trigger, body (\w+), not returns trigger, body (?!\1)\w+$/,
    ),
  ]);
});
