import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { EVENTS } from "../../support/events.ts";
import { eventually, toEqual } from "../../support/eventually.ts";
import { addEvents } from "../../support/log-rows.ts";
import { onceForAll } from "../../support/own-test.ts";
import { type Harness, ownRelay, startHarness, startRelay } from "../../support/relay.ts";
import { invoiceAnswer } from "../../support/scripted-provider.ts";

/** How many events stand where: those of these invoices, or all. */
async function states(harness: Harness, ids: readonly string[] | null = null): Promise<string[]> {
  const which = "$1::uuid[] is null or invoice_id = any($1)";
  const counted = `select count(*) || ' ' || state as events from ${EVENTS} where ${which} group by state`;
  return (await harness.query(counted, [ids])).map(({ events }) => events).sort();
}
const openAlarms = (harness: Harness) =>
  harness.query("select name, subject from alarm where cleared_at is null");
const hurry = async (harness: Harness) => {
  await harness.query("update topic set opens_at = least(opens_at, now())");
  await harness.query("update outbox set due_at = now() where state = 'due'");
};

describe("publishing", () => {
  const own = onceForAll(() => ownRelay());

  /** Paid invoices of these titles, named by one callback. */
  async function pay(titles: readonly string[]) {
    const { harness, relay } = own();
    const ids = titles.map(() => randomUUID());
    for (const [index, id] of ids.entries())
      harness.provider.invoice(id, invoiceAnswer(id, { title: titles[index] }));
    await relay.callback(ids.map((id) => ({ data: { id } })));
    return ids;
  }

  it("keeps the MessageId of every entry, sends only those again that failed, gives up one that SNS refuses (G5)", async () => {
    const { harness } = own();
    const fails = { kind: "fail-entries" } as const;
    harness.sns.addFault({ ...fails, times: 1, senderFault: false, matching: "Fails once" });
    harness.sns.addFault({ ...fails, times: 1_000, senderFault: true, matching: "Bad one" });
    // With others; alone it is taken.
    harness.sns.addFault({ ...fails, times: 1, senderFault: true, matching: "Refused once" });
    // All wait, so that none is alone in the first batches.
    await harness.query("update topic set paused_by = 'operator', paused_at = now()");
    const ids = await pay(["Fails once", "Bad one", "Refused once", ...Array(22).fill("Fees")]);
    await eventually(() => states(harness, ids), toEqual(["25 due"]));
    await harness.query("update topic set paused_by = null, paused_at = null");
    await vi.waitFor(async () => {
      await hurry(harness);
      expect(await states(harness, ids)).toEqual(["1 dead", "24 published"]);
    });
    await eventually(
      async () => (await openAlarms(harness)).map(({ name }) => name),
      toEqual(["event_dead"]),
    );
    const kept = await harness.query("select event_id, message_id from publication");
    const accepted = harness.sns
      .messages(harness.topicArn)
      .map(({ message, messageId }) => ({ event_id: JSON.parse(message).id, message_id: messageId }));
    const inOrder = (rows: Record<string, unknown>[]) => rows.map((row) => JSON.stringify(row)).sort();
    expect(inOrder(kept)).toEqual(inOrder(accepted));
    expect(kept).toHaveLength(24);
    await harness.query("update alarm set cleared_at = now()");
  });

  it("pauses a topic that refuses, tells of it, and goes on by itself once it works", async () => {
    const { harness } = own();
    harness.sns.addFault({ kind: "topic-missing", times: 1_000, action: "PublishBatch" });
    const ids = await pay(["Fees", "Fees"]);
    const { topicArn } = harness;
    await eventually(() => openAlarms(harness), toEqual([{ name: "topic_paused", subject: topicArn }]));
    expect(await harness.query("select paused_by from topic")).toEqual([{ paused_by: "refused" }]);
    harness.sns.clearFaults();
    await vi.waitFor(async () => {
      await hurry(harness);
      expect(await states(harness, ids)).toEqual(["2 published"]);
    });
    await eventually(() => openAlarms(harness), toEqual([]));
  });

  it("publishes an event that a worker claimed which died", async () => {
    const { harness } = own();
    const [event] = await addEvents(harness, 1, { state: "due" });
    await harness.query(
      `update outbox set state = 'claimed', lease_token = gen_random_uuid(), claimed_until = now() - interval '1 s'
       where event_id = $1`,
      [event?.id],
    );
    await eventually(() => states(harness, [event?.invoiceId ?? ""]), toEqual(["1 published"]));
  });
});

describe("Test events", () => {
  it("are held until there is a test topic, whichever process held them, and never go to the live one", async () => {
    const harness = await startHarness();
    const environment = harness.environment();
    const without = await startRelay(environment);
    const id = harness.provider.paid({ type: "Test" });
    await without.callback({ data: { id } });
    await eventually(() => states(harness), toEqual(["1 held"]));
    const withTopic = { ...environment, SNS_TEST_TOPIC_ARN: harness.testTopicArn };
    await startRelay(withTopic, { http: false, workers: true });
    await addEvents(harness, 2, { state: "held", invoiceType: "Test" });
    await addEvents(harness, 1, { state: "due" });
    await eventually(() => states(harness), toEqual(["4 published"]));
    expect(harness.sns.messages(harness.testTopicArn)).toHaveLength(3);
    expect(harness.sns.messages(harness.topicArn)).toHaveLength(1);
  });

  it("that wait when their topic is taken away are held; a source that is gone keeps its own", async () => {
    const harness = await startHarness();
    await addEvents(harness, 2, { state: "due", invoiceType: "Test" });
    await addEvents(harness, 1, { state: "held", invoiceType: "Test", source: "gone" });
    await startRelay(harness.environment());
    await eventually(() => states(harness), toEqual(["3 held"]));
    expect(harness.sns.messages()).toEqual([]);
  });
});
