import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { invoicePaidId } from "../../../src/events/invoice-paid.ts";
import { OutcomeStore } from "../../../src/pipeline/confirm/answer-statement.ts";
import { claimConfirmations } from "../../../src/pipeline/confirm/queue/claim.ts";
import { type ClaimedEvent, claimEvents } from "../../../src/pipeline/publish/claim-events.ts";
import { writeOutcomes } from "../../../src/pipeline/publish/outcomes.ts";
import { CallbackLog } from "../../../src/pipeline/receive/log/callback-log.ts";
import { claimAlarmsToNotify } from "../../../src/platform/alarms/alarms-to-notify.ts";
import type { Database } from "../../../src/platform/database/tables.ts";
import { type Handoff, leaseOf } from "../../../src/platform/worker/index.ts";
import { ownDatabase } from "../../support/database.ts";
import { incomingCallback } from "../../support/incoming-callback.ts";
import { maxRowsOf } from "../../support/max-rows.ts";
import { paidOutcome } from "../../support/paid-outcome.ts";
import { alarmsOn } from "../../support/test-log.ts";

const TOPIC = "arn:aws:sns:eu-west-1:000000000000:invoices";
const ROUTE = { source: "default", invoiceType: "Live" as const, topicArn: TOPIC };
const LEASE_MS = 60_000;

function handoff<Item>(): Handoff<Item> & { taken: Item[] } {
  const taken: Item[] = [];
  return {
    taken,
    lease: leaseOf(LEASE_MS),
    reserve: () => true,
    take: (items) => void taken.push(...items),
  };
}

/** Two batches of payments from callback to acceptance: one claimed at each stage, one dispatched. */
async function path(db: Database, size: number): Promise<void> {
  const payments = () => Array.from({ length: size }, () => randomUUID());
  const record = async (log: CallbackLog) =>
    await Promise.all(
      payments().map((id) => log.append(incomingCallback({ invoiceIds: [id], foundBy: "data.id" }))),
    );
  const onConfirmations = () => undefined;
  await record(new CallbackLog({ db, onConfirmations }));
  const handed = handoff<{ invoiceId: string; source: string; leaseToken: string }>();
  await record(new CallbackLog({ db, onConfirmations, handoff: handed }));
  const { items } = await claimConfirmations(db, {
    ...{ source: "default", total: size, unknown: size, replays: size },
    ...{ lease: leaseOf(LEASE_MS), limits: { ratePerSecond: null, unknownRatePerSecond: 10 } },
  });
  expect([items.length, handed.taken.length]).toEqual([size, size]);

  const alarms = alarmsOn(db);
  const events = handoff<ClaimedEvent>();
  const stored = { db, alarms, onEvents: () => undefined, routes: [ROUTE] };
  const store = async (to: OutcomeStore, confirmations: typeof handed.taken) =>
    await Promise.all(
      confirmations.map((one) => to.store(paidOutcome(one, "fine", invoicePaidId(one.invoiceId)))),
    );
  await store(new OutcomeStore({ ...stored, handoff: null }), items);
  await store(new OutcomeStore({ ...stored, handoff: events }), handed.taken);
  const claimed = await claimEvents(db, { route: ROUTE, wanted: size, lease: leaseOf(LEASE_MS) });
  expect([claimed.items.length, events.taken.length]).toEqual([size, size]);
  const outcomes = [...claimed.items, ...events.taken].map(({ id, source, leaseToken }) => ({
    ...{ id, source, leaseToken, replayId: null, topicArn: TOPIC, messageId: id, digest: Buffer.alloc(32) },
    ...{ state: "accepted" as const, dueInMs: 0, error: null },
  }));
  for (const batch of [outcomes.slice(0, size), outcomes.slice(size)])
    await writeOutcomes(db, { outcomes: batch, alarms: [] });
}

const PAST = sql`
  with past as materialized (select gen_random_uuid() as id from generate_series(1, 3000)),
  confirmations as (
    insert into confirmation
      (invoice_id, source, opened_by, opened_at, requested_at, due_at, settled_at, state, verdict)
    select id, 'default', 'callback', now(), now(), now(), now(), 'done', 'paid' from past),
  invoices as (
    insert into invoice (id, source, asked_at, confirmed_at, status, digest, document)
    select id, 'default', now(), now(), 'Paid', '', '{}' from past),
  events as (
    insert into event (id, invoice_id, source, type, invoice_type, payload)
    select event_id(id, 'invoice.paid'), id, 'default', 'invoice.paid', 'Live', '{}' from past),
  sending as (
    insert into outbox (source, event_id, invoice_type, state, lease_token, claimed_until)
    select 'default', event_id(id, 'invoice.paid'), 'Live', 'claimed', gen_random_uuid(), now() + interval '1 h'
    from past),
  erased as (insert into erased_invoice (id) select gen_random_uuid() from past),
  raised as (
    insert into alarm (name, source, subject, detail, last_raised_at)
    select 'invoice_anomaly', 'default', id::text, '', now() from past),
  noted as (
    insert into history_entry (invoice_id, source, at, kind, detail)
    select id, 'default', now(), 'verdict', 'pending' from past)
  insert into publication (source, event_id, topic_arn, message_id)
  select 'default', event_id(id, 'invoice.paid'), ${TOPIC}, '' from past`;

it.each([
  ["an empty database", []],
  // The outbox is empty again and again, and Postgres notes it when it looks just then.
  ["tables that Postgres knows to be empty or nearly so", ["vacuum analyze"]],
])("plans that were made for %s read no table that has grown since (G11)", async (_, upkeep) => {
  const { url, db } = await ownDatabase({ max: 1 });
  await sql`insert into source (name, first_served_at) values ('default', now())`.execute(db);
  await sql`insert into topic (arn) values (${TOPIC})`.execute(db);
  const before = async (session: Database) => {
    await path(session, 1);
    for (const statement of upkeep) {
      await sql.raw(statement).execute(db);
      await path(session, 1);
    }
    await PAST.execute(db);
  };
  // A step may look at each row of the batch and pass it over.
  expect(await maxRowsOf(url, (session) => path(session, 8), before)).toBeLessThanOrEqual(2 * 8);
});

it("alarms that stay open or are over cost those who look for news nothing, however many there are (G11)", async () => {
  const { url, db } = await ownDatabase({ max: 1 });
  const past = sql`now() - interval '2 days'`;
  await sql`
    insert into alarm (name, source, subject, detail, last_raised_at, told_at, cleared_at, cleared_told_at)
    select 'invoice_quarantined', 'default', gen_random_uuid()::text, '', now(), now(), null, null from generate_series(1, 3000)
    union all
    select 'invoice_anomaly', 'default', gen_random_uuid()::text, '', now(), now(), now(), now() from generate_series(1, 3000)
    union all select 'event_dead', 'default', 'new', '', now(), null, null, null
    union all select 'event_truncated', 'default', 'quiet', '', ${past}, now(), null, null`.execute(db);
  const look = async (db: Parameters<typeof claimAlarmsToNotify>[0]) => {
    const alarms = alarmsOn(db);
    await alarms.clearQuiet();
    const untold = await claimAlarmsToNotify(db, { most: 500, lease: leaseOf(0) });
    expect(untold?.alarms.map(({ subject }) => subject)).toEqual(["new", "quiet"]);
  };
  expect(await maxRowsOf(url, look)).toBeLessThan(100);
});
