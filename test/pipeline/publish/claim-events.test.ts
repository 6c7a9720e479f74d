import { type RawBuilder, sql } from "kysely";
import { describe, expect, it } from "vitest";
import { claimEvents, claimReplayed } from "../../../src/pipeline/publish/claim-events.ts";
import { queueReplayed } from "../../../src/pipeline/publish/outbox.ts";
import type { Database } from "../../../src/platform/database/tables.ts";
import { newId } from "../../../src/platform/values/ids.ts";
import { leaseOf } from "../../../src/platform/worker/leased-rows.ts";
import { ownDatabase } from "../../support/database.ts";
import { maxRowsOf } from "../../support/max-rows.ts";
import { ROUTE, TOPIC, waiting } from "./outgoing-event.ts";

/** A database where so many events wait to be sent. */
async function withWaiting(count: number) {
  const { db, url } = await ownDatabase();
  await waiting(db, count);
  return { db, url };
}

const OTHER = "arn:aws:sns:eu-west-1:000000000000:other";
const THEIRS = "arn:aws:sns:eu-west-1:000000000000:of-another-relay";

/** Events that wait for their first time, each queued by a replay too, to each of these topics. */
async function replayed(count: number, ...topics: string[]) {
  const { db, url } = await withWaiting(count);
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
});

const NOT_DUE = sql`update outbox set due_at = now() + interval '1 hour'`;
const REPLAYED = sql`
  insert into outbox (source, event_id, invoice_type, replay_id, topic_arn)
  select source, event_id, invoice_type, gen_random_uuid(), ${TOPIC} from outbox limit 50`;
it.each<[string, RawBuilder<unknown>[], (db: Database) => Promise<unknown>]>([
  ["that wait", [], (db) => claimEvents(db, { ...ours, route: ROUTE, wanted: 10 })],
  ["of replays", [NOT_DUE, REPLAYED], (db) => claimReplayed(db, { ...ours, wanted: 10 })],
])("events %s are claimed without a look at all others", async (_, given, claim) => {
  const { db, url } = await withWaiting(1_000);
  for (const one of given) await one.execute(db);
  const unexpected = await maxRowsOf(url, claim);
  await sql`analyze`.execute(db);
  expect(Math.max(unexpected, await maxRowsOf(url, claim))).toBeLessThanOrEqual(given.length === 0 ? 10 : 50);
});
