import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { EVENTS } from "../support/events.ts";
import { eventually, toEqual } from "../support/eventually.ts";
import { addEvents } from "../support/log-rows.ts";
import { type Harness, ownRelay, startHarness, startRelay } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";

const WAIT = { interval: 20 };

/** Paid invoices at the provider, and one callback that names them all. */
async function pay(
  harness: Harness,
  relay: Awaited<ReturnType<typeof startRelay>>,
  count: number,
  changes: (index: number) => Record<string, unknown> = () => ({}),
) {
  const ids = Array.from({ length: count }, () => randomUUID());
  for (const [index, id] of ids.entries()) harness.provider.invoice(id, invoiceAnswer(id, changes(index)));
  await relay.callback(ids.map((id) => ({ data: { id } })));
  return ids;
}

const states = (harness: Harness) =>
  harness.query(`select state, count(*)::int as events from ${EVENTS} group by state order by state`);
const published = (harness: Harness, events: number) =>
  eventually(() => states(harness), toEqual([{ state: "published", events }]));
const hurry = (harness: Harness) =>
  harness
    .query("update topic set opens_at = least(opens_at, now())")
    .then(() => harness.query("update outbox set due_at = now() where state = 'due'"));

describe("publishing", () => {
  it("keeps the MessageId of every entry (G5)", async () => {
    const { harness, relay } = await ownRelay();
    await pay(harness, relay, 25);
    await published(harness, 25);
    const kept = await harness.query<{ event_id: string; message_id: string }>(
      "select event_id, message_id from publication",
    );
    const accepted = harness.sns
      .messages(harness.topicArn)
      .map((message) => ({ event_id: JSON.parse(message.message).id, message_id: message.messageId }));
    const inOrder = (rows: { message_id: string }[]) =>
      rows.toSorted((a, b) => a.message_id.localeCompare(b.message_id));
    expect(inOrder(kept)).toEqual(inOrder(accepted));
  });

  it("sends again only the entries that failed, with the same id (G5)", async () => {
    const harness = await startHarness();
    harness.sns.addFault({ kind: "fail-entries", times: 1, senderFault: false, matching: "Fails once" });
    const relay = await startRelay(harness.environment());
    await pay(harness, relay, 10, (index) => (index === 4 ? { title: "Fails once" } : {}));
    await vi.waitFor(async () => {
      await hurry(harness);
      expect(await states(harness)).toEqual([{ state: "published", events: 10 }]);
    }, WAIT);
    expect(harness.sns.messages(harness.topicArn)).toHaveLength(10);
  });

  it("an entry that SNS refuses for its own fault is tried alone, then dead, alarmed, and its neighbours are published", async () => {
    const harness = await startHarness();
    harness.sns.addFault({ kind: "fail-entries", times: 1_000, senderFault: true, matching: "Bad one" });
    const relay = await startRelay(harness.environment());
    await pay(harness, relay, 10, (index) => (index === 4 ? { title: "Bad one" } : {}));
    await eventually(
      () => states(harness),
      toEqual([
        { state: "dead", events: 1 },
        { state: "published", events: 9 },
      ]),
    );
    await eventually(
      () => harness.query("select name from alarm where cleared_at is null"),
      toEqual([{ name: "event_dead" }]),
    );
    expect(harness.sns.messages(harness.topicArn)).toHaveLength(9);
  });

  it("a topic that refuses is paused and alarmed, and goes on by itself once it works", async () => {
    const harness = await startHarness();
    harness.sns.addFault({ kind: "topic-missing", times: 1_000, action: "PublishBatch" });
    const relay = await startRelay(harness.environment());
    await pay(harness, relay, 12);
    await eventually(
      () => harness.query("select name, subject from alarm where cleared_at is null"),
      toEqual([{ name: "topic_paused", subject: harness.topicArn }]),
    );
    expect(await harness.query("select paused_by from topic")).toEqual([{ paused_by: "refused" }]);
    harness.sns.clearFaults();
    await vi.waitFor(async () => {
      await hurry(harness);
      expect(await states(harness)).toEqual([{ state: "published", events: 12 }]);
    }, WAIT);
    await eventually(() => harness.query("select 1 from alarm where cleared_at is null"), toEqual([]));
  });

  it("Test invoices go to the test topic, or are held until there is one: never to the live one", async () => {
    const harness = await startHarness();
    const without = await startRelay(harness.environment());
    const held = await pay(harness, without, 2, () => ({ type: "Test" }));
    await eventually(() => states(harness), toEqual([{ state: "held", events: 2 }]));
    await without.stop();
    const withTopic = await startRelay(harness.environment({ SNS_TEST_TOPIC_ARN: harness.testTopicArn }));
    await published(harness, 2);
    await pay(harness, withTopic, 2, (index) => ({ type: index === 0 ? "Test" : "Live" }));
    await published(harness, 4);
    const sent = harness.sns.messages(harness.testTopicArn).map(({ message }) => JSON.parse(message).subject);
    expect(sent).toHaveLength(3);
    expect(sent).toEqual(expect.arrayContaining(held));
    expect(harness.sns.messages(harness.topicArn)).toHaveLength(1);
  });

  it("what is held while another process has no topic for it yet goes out too", async () => {
    const harness = await startHarness();
    const withTopic = harness.environment({ SNS_TEST_TOPIC_ARN: harness.testTopicArn });
    await startRelay(withTopic, { http: false, workers: true });
    await addEvents(harness, 3, { state: "held", invoiceType: "Test" });
    await eventually(
      () => harness.query("select count(*)::int as sent from publication"),
      toEqual([{ sent: 3 }]),
    );
    expect(harness.sns.messages(harness.testTopicArn)).toHaveLength(3);
  });

  it("Test events that wait when their topic is taken away are held; a source that is gone keeps its own", async () => {
    const harness = await startHarness();
    await addEvents(harness, 2, { state: "due", invoiceType: "Test" });
    await addEvents(harness, 1, { state: "held", invoiceType: "Test", source: "gone" });
    await startRelay(harness.environment());
    await eventually(() => states(harness), toEqual([{ state: "held", events: 3 }]));
    expect(harness.sns.messages()).toEqual([]);
  });

  it("control characters in a collection's name do not make SNS refuse the event", async () => {
    const { harness, relay } = await ownRelay();
    await pay(harness, relay, 1, () => ({
      collectionName: "a\u0001b\uFFFE",
      title: "\u0001\uFFFF",
      payerName: "\uFFFE",
    }));
    await published(harness, 1);
  });

  it("an event claimed by a worker that died is published by the next", async () => {
    const { harness, relay } = await ownRelay();
    await pay(harness, relay, 1);
    await published(harness, 1);
    await harness.query(
      `insert into outbox (source, event_id, invoice_type, state, lease_token, claimed_until)
       select source, id, invoice_type, 'claimed', gen_random_uuid(), now() - interval '1 s' from event`,
    );
    await eventually(
      () =>
        harness.query(
          "select count(*)::int as accepted, count(distinct event_id)::int as events from publication",
        ),
      toEqual([{ accepted: 2, events: 1 }]),
    );
    await published(harness, 1);
  });
});
