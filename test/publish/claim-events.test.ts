import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import type { Database } from "../../src/database/tables.ts";
import { newId } from "../../src/kit/ids.ts";
import { claimEvents, claimReplayed } from "../../src/publish/claim-events.ts";
import { queueReplayed } from "../../src/publish/replayed-events.ts";
import { leaseOf } from "../../src/work/lease.ts";
import { ownDatabase } from "../support/database.ts";
import { maxRowsOf } from "../support/max-rows.ts";

const TOPIC = "arn:aws:sns:eu-west-1:000000000000:invoices";
const ROUTE = { source: "default", invoiceType: "Live" as const, topicArn: TOPIC };

/** Events that wait to be sent. */
async function waiting(count: number) {
  const { db, url } = await ownDatabase();
  await sql`insert into topic (arn) values (${TOPIC})`.execute(db);
  await sql`
    with logged as (
      insert into event (id, invoice_id, source, type, invoice_type, payload)
      select id, id, 'default', 'invoice.paid', 'Live', '{}'
      from (select gen_random_uuid() as id from generate_series(1, ${count}::int)) as made
      returning source, id, invoice_type)
    insert into outbox (source, event_id, invoice_type) select source, id, invoice_type from logged`.execute(
    db,
  );
  return { db, url };
}

describe("events that wait", () => {
  it("are claimed without a look at more of them than are taken", async () => {
    const { db, url } = await waiting(3_000);
    const claim = { route: ROUTE, wanted: 10, lease: leaseOf(60_000) };
    const unexpected = await maxRowsOf(url, (explained) => claimEvents(explained, claim));
    await sql`analyze`.execute(db);
    const expected = await maxRowsOf(url, (explained) => claimEvents(explained, claim));
    expect({ unexpected, expected }).toEqual({ unexpected: 10, expected: 10 });
  });
});

const OTHER = "arn:aws:sns:eu-west-1:000000000000:other";
const THEIRS = "arn:aws:sns:eu-west-1:000000000000:of-another-relay";

/** Events that wait for their first time, each queued by a replay too, to each of these topics. */
async function replayed(count: number, ...topics: string[]) {
  const { db, url } = await waiting(count);
  const events = await db
    .selectFrom("event")
    .select(["id", "source", "invoice_type as invoiceType"])
    .execute();
  for (const topicArn of topics)
    await queueReplayed.execute(db, {
      replayId: newId(),
      events: events.map((event) => ({ ...event, topicArn })),
    });
  return { db, url };
}

const ours = { routes: [ROUTE], topics: [TOPIC], wanted: 100, lease: leaseOf(60_000) };
const topicsOf = async (db: Database, claim: Parameters<typeof claimReplayed>[1] = ours) =>
  (await claimReplayed(db, claim)).map(({ topicArn }) => topicArn);

describe("events that replays have queued", () => {
  it("are claimed once no live event is due for their topic, and are no live claim's (G9)", async () => {
    const { db } = await replayed(2, TOPIC, OTHER);
    expect(await topicsOf(db)).toEqual([OTHER, OTHER]);
    const live = await claimEvents(db, { route: ROUTE, wanted: 100, lease: leaseOf(60_000) });
    expect(live.items.map(({ replayId, topicArn }) => ({ replayId, topicArn }))).toEqual([
      { replayId: null, topicArn: TOPIC },
      { replayId: null, topicArn: TOPIC },
    ]);
    expect(await topicsOf(db)).toEqual([TOPIC, TOPIC]);
  });

  it("are left alone while their topic is closed, and if only other relays serve it", async () => {
    const { db } = await replayed(1, TOPIC, THEIRS, OTHER);
    await sql`insert into topic (arn) values (${THEIRS})`.execute(db);
    // No live event keeps them back.
    await sql`delete from outbox where topic_arn is null`.execute(db);
    await sql`update topic set paused_by = 'operator', paused_at = now() where arn = ${TOPIC}`.execute(db);
    expect(await topicsOf(db, ours)).toEqual([OTHER]);
    expect(await topicsOf(db, { ...ours, topics: [TOPIC, THEIRS] })).toEqual([THEIRS]);
    await sql`update topic set paused_by = null, paused_at = null`.execute(db);
    expect(await topicsOf(db)).toEqual([TOPIC]);
  });

  it("are claimed without a look at what is live", async () => {
    const { db, url } = await waiting(3_000);
    await sql`update outbox set due_at = now() + interval '1 hour'`.execute(db);
    await sql`
      insert into outbox (source, event_id, invoice_type, replay_id, topic_arn)
      select source, event_id, invoice_type, gen_random_uuid(), ${TOPIC} from outbox limit 50`.execute(db);
    const claim = { ...ours, wanted: 10 };
    const unexpected = await maxRowsOf(url, (explained) => claimReplayed(explained, claim));
    await sql`analyze`.execute(db);
    const expected = await maxRowsOf(url, (explained) => claimReplayed(explained, claim));
    expect([unexpected <= 50, expected <= 50]).toEqual([true, true]);
  });
});
