import { sql } from "kysely";
import { expect, it } from "vitest";
import { noteWaiting, readVitalSigns } from "../../src/operations/backlog.ts";
import { readStatus } from "../../src/operations/status-facts.ts";
import type { Database } from "../../src/platform/database/tables.ts";
import { ownDatabase } from "../support/database.ts";
import { maxRowsOf } from "../support/max-rows.ts";
import { alarmsOn } from "../support/test-log.ts";

const PAST = 12_000;
const MOST = 3_000;

const fill = sql`
  with past as materialized (
    select gen_random_uuid() as id, now() - n * interval '1 minute' as at
    from generate_series(600, ${sql.lit(599 + PAST)}) as n),
  callbacks as (
    insert into callback (id, received_at, source, method, path, query, invoice_ids, headers, body)
    select gen_random_uuid(), at, 'default', 'POST', '/', '', array[id], '[]', '' from past),
  confirmations as (
    insert into confirmation
      (invoice_id, source, opened_by, opened_at, requested_at, due_at, settled_at, state, verdict)
    select id, 'default', 'callback', at, at, at, at, 'done', 'paid' from past),
  invoices as (
    insert into invoice (id, source, paid_at, asked_at, confirmed_at, status, digest, document)
    select id, 'default', at, at, at, 'Paid', '', '{}' from past),
  events as (
    insert into event (id, invoice_id, source, type, invoice_type, created_at, payload)
    select id, id, 'default', 'invoice.paid', 'Live', at, '{}' from past)
  insert into publication (source, event_id, published_at, topic_arn, message_id)
  select 'default', id, at, 'topic', '' from past`;

it.each<[string, (db: Database) => Promise<unknown>]>([
  ["status", (db) => readStatus(db, { sources: null, intervalMs: 86_400_000 })],
  ["what monitoring reads", (db) => readVitalSigns(db, { sources: [], topics: [] })],
  ["the look for payments that wait", (db) => noteWaiting(db, alarmsOn(db))],
])("%s reads no payment that is done, however many there are (G11)", async (_, look) => {
  const { url, db } = await ownDatabase();
  await fill.execute(db);
  await sql`vacuum analyze`.execute(db);
  expect(await maxRowsOf(url, look, undefined, "force_custom_plan")).toBeLessThan(MOST);
});
