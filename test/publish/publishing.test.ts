import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { EVENTS } from "../support/events.ts";
import { eventually, toEqual } from "../support/eventually.ts";
import { addEvents } from "../support/log-rows.ts";
import { ownRelay, type Surroundings, startRelay, surroundings } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";

const WAIT = { interval: 20 };

/** Paid invoices at the provider, and one callback that names them all. */
async function pay(
  around: Surroundings,
  relay: Awaited<ReturnType<typeof startRelay>>,
  count: number,
  changes: (index: number) => Record<string, unknown> = () => ({}),
) {
  const ids = Array.from({ length: count }, () => randomUUID());
  for (const [index, id] of ids.entries()) around.provider.invoice(id, invoiceAnswer(id, changes(index)));
  await relay.callback(ids.map((id) => ({ data: { id } })));
  return ids;
}

const states = (around: Surroundings) =>
  around.query(`select state, count(*)::int as events from ${EVENTS} group by state order by state`);
const published = (around: Surroundings, events: number) =>
  eventually(() => states(around), toEqual([{ state: "published", events }]));
const hurry = (around: Surroundings) =>
  around
    .query("update topic set opens_at = least(opens_at, now())")
    .then(() => around.query("update outbox set due_at = now() where state = 'due'"));

describe("publishing", () => {
  it("keeps the MessageId of every entry (G5)", async () => {
    const { around, relay } = await ownRelay();
    await pay(around, relay, 25);
    await published(around, 25);
    const kept = await around.query<{ event_id: string; message_id: string }>(
      "select event_id, message_id from publication",
    );
    const accepted = around.sns
      .messages(around.topicArn)
      .map((message) => ({ event_id: JSON.parse(message.message).id, message_id: message.messageId }));
    const inOrder = (rows: { message_id: string }[]) =>
      rows.toSorted((a, b) => a.message_id.localeCompare(b.message_id));
    expect(inOrder(kept)).toEqual(inOrder(accepted));
  });

  it("sends again only the entries that failed, with the same id (G5)", async () => {
    const around = await surroundings();
    around.sns.addFault({ kind: "fail-entries", times: 1, senderFault: false, matching: "Fails once" });
    const relay = await startRelay(around.environment());
    await pay(around, relay, 10, (index) => (index === 4 ? { title: "Fails once" } : {}));
    await vi.waitFor(async () => {
      await hurry(around);
      expect(await states(around)).toEqual([{ state: "published", events: 10 }]);
    }, WAIT);
    expect(around.sns.messages(around.topicArn)).toHaveLength(10);
  });

  it("an entry that SNS refuses for its own fault is tried alone, then dead, alarmed, and its neighbours are published", async () => {
    const around = await surroundings();
    around.sns.addFault({ kind: "fail-entries", times: 1_000, senderFault: true, matching: "Bad one" });
    const relay = await startRelay(around.environment());
    await pay(around, relay, 10, (index) => (index === 4 ? { title: "Bad one" } : {}));
    await eventually(
      () => states(around),
      toEqual([
        { state: "dead", events: 1 },
        { state: "published", events: 9 },
      ]),
    );
    await eventually(
      () => around.query("select name from alarm where cleared_at is null"),
      toEqual([{ name: "event_dead" }]),
    );
    expect(around.sns.messages(around.topicArn)).toHaveLength(9);
  });

  it("a topic that refuses is paused and alarmed, and goes on by itself once it works", async () => {
    const around = await surroundings();
    around.sns.addFault({ kind: "topic-missing", times: 1_000, action: "PublishBatch" });
    const relay = await startRelay(around.environment());
    await pay(around, relay, 12);
    await eventually(
      () => around.query("select name, subject from alarm where cleared_at is null"),
      toEqual([{ name: "topic_paused", subject: around.topicArn }]),
    );
    expect(await around.query("select paused_by from topic")).toEqual([{ paused_by: "refused" }]);
    around.sns.clearFaults();
    await vi.waitFor(async () => {
      await hurry(around);
      expect(await states(around)).toEqual([{ state: "published", events: 12 }]);
    }, WAIT);
    await eventually(() => around.query("select 1 from alarm where cleared_at is null"), toEqual([]));
  });

  it("Test invoices go to the test topic, or are held until there is one: never to the live one", async () => {
    const around = await surroundings();
    const without = await startRelay(around.environment());
    const held = await pay(around, without, 2, () => ({ type: "Test" }));
    await eventually(() => states(around), toEqual([{ state: "held", events: 2 }]));
    await without.stop();
    const withTopic = await startRelay(around.environment({ SNS_TEST_TOPIC_ARN: around.testTopicArn }));
    await published(around, 2);
    await pay(around, withTopic, 2, (index) => ({ type: index === 0 ? "Test" : "Live" }));
    await published(around, 4);
    const sent = around.sns.messages(around.testTopicArn).map(({ message }) => JSON.parse(message).subject);
    expect(sent).toHaveLength(3);
    expect(sent).toEqual(expect.arrayContaining(held));
    expect(around.sns.messages(around.topicArn)).toHaveLength(1);
  });

  it("what is held while another process has no topic for it yet goes out too", async () => {
    const around = await surroundings();
    const withTopic = around.environment({ SNS_TEST_TOPIC_ARN: around.testTopicArn });
    await startRelay(withTopic, { http: false, workers: true });
    await addEvents(around, 3, { state: "held", invoiceType: "Test" });
    await eventually(
      () => around.query("select count(*)::int as sent from publication"),
      toEqual([{ sent: 3 }]),
    );
    expect(around.sns.messages(around.testTopicArn)).toHaveLength(3);
  });

  it("Test events that wait when their topic is taken away are held; a source that is gone keeps its own", async () => {
    const around = await surroundings();
    await addEvents(around, 2, { state: "due", invoiceType: "Test" });
    await addEvents(around, 1, { state: "held", invoiceType: "Test", source: "gone" });
    await startRelay(around.environment());
    await eventually(() => states(around), toEqual([{ state: "held", events: 3 }]));
    expect(around.sns.messages()).toEqual([]);
  });

  it("control characters in a collection's name do not make SNS refuse the event", async () => {
    const { around, relay } = await ownRelay();
    await pay(around, relay, 1, () => ({
      collectionName: "a\u0001b\uFFFE",
      title: "\u0001\uFFFF",
      payerName: "\uFFFE",
    }));
    await published(around, 1);
  });

  it("an event claimed by a worker that died is published by the next", async () => {
    const { around, relay } = await ownRelay();
    await pay(around, relay, 1);
    await published(around, 1);
    await around.query(
      `insert into outbox (source, event_id, invoice_type, state, lease_token, claimed_until)
       select source, id, invoice_type, 'claimed', gen_random_uuid(), now() - interval '1 s' from event`,
    );
    await eventually(
      () =>
        around.query(
          "select count(*)::int as accepted, count(distinct event_id)::int as events from publication",
        ),
      toEqual([{ accepted: 2, events: 1 }]),
    );
    await published(around, 1);
  });
});
