import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { createLocalTopic } from "../../src/app/dev-topics.ts";
import { listRefusals } from "../../src/replay/replay-rows.ts";
import { cancelReplay } from "../../src/replay/start-replay.ts";
import { eventually, toEqual } from "../support/eventually.ts";
import { addEvents, wholeDatabase } from "../support/log-rows.ts";
import { type Harness, startHarness, startRelay } from "../support/relay.ts";
import { idsOf, replaying } from "./replaying-fixture.ts";

/** An event that is due to be sent for the first time. @returns its id */
async function addDueEvent(harness: Harness): Promise<string> {
  const id = randomUUID();
  await harness.query(
    `with made as (
       insert into event (id, invoice_id, type, source, invoice_type, payload)
       values ($1, $1, 'invoice.paid', 'default', 'Live', '{}'))
     insert into outbox (event_id, source, invoice_type) values ($1, 'default', 'Live')`,
    [id],
  );
  return id;
}

describe("replay events", () => {
  it("publishes again with the same id and payload, marked as a replay, and keeps every outcome (G5, G9)", async () => {
    const harness = await startHarness();
    const events = await addEvents(harness, 23);
    const { start, run } = replaying(harness);

    const replay = await start();
    const ended = await run(replay);

    expect(ended).toMatchObject({
      state: "done",
      matching: 23,
      handled: 23,
      sent: 23,
      refused: 0,
      underWay: false,
    });
    const messages = harness.sns.messages(harness.topicArn);
    expect(messages.map((message) => message.message).sort()).toEqual(
      events.map((event) => event.payload).sort(),
    );
    expect(idsOf(messages).sort()).toEqual(events.map((event) => event.id).sort());
    expect(new Set(messages.map((message) => message.messageAttributes.replay?.Value))).toEqual(
      new Set([replay.id]),
    );
    const kept = await harness.query(
      "select event_id, topic_arn, message_id from publication where replay_id = $1 order by message_id",
      [replay.id],
    );
    const [topic_arn] = [harness.topicArn];
    expect(kept).toEqual(
      messages
        .map(({ messageAttributes: { id }, messageId }) => ({
          ...{ event_id: id?.Value, topic_arn, message_id: messageId },
        }))
        .sort((one, other) => (one.message_id < other.message_id ? -1 : 1)),
    );
    expect(await harness.query("select from outbox")).toEqual([]);
  });

  it("in a dry run says how many and which come first, and changes nothing", async () => {
    const harness = await startHarness();
    const [first] = await addEvents(harness, 12);
    const { plan: planOf } = replaying(harness);
    const before = await wholeDatabase(harness);

    const plan = await planOf({ from: "2026-10-01T00:00:01Z", to: "2026-10-01T00:00:04Z" });

    expect(plan.matching).toBe(3);
    expect(plan.first[0]).toMatchObject({ eventId: first?.id, invoiceIds: [first?.invoiceId] });
    expect(await wholeDatabase(harness)).toEqual(before);
    expect(harness.sns.messages()).toEqual([]);
  });

  it("takes only what every filter allows", async () => {
    const harness = await startHarness();
    const [one, two] = await addEvents(harness, 3);
    const { start, run } = replaying(harness);
    const invoiceIds = [one?.invoiceId ?? "", two?.invoiceId ?? ""];

    await run(
      await start({ invoiceIds, eventType: "invoice.paid", source: "default", to: "2026-10-01T00:00:02Z" }),
    );

    expect(idsOf(harness.sns.messages())).toEqual([one?.id]);
  });

  it("never sends Test events, unpublished or held ones to the live topic", async () => {
    const harness = await startHarness();
    const [live] = await addEvents(harness, 1);
    await addEvents(harness, 2, { invoiceType: "Test" });
    await addEvents(harness, 2, { state: "held", invoiceType: "Test" });
    await addEvents(harness, 2, { state: "dead" });
    const { start, run } = replaying(harness);

    await run(await start());

    expect(idsOf(harness.sns.messages())).toEqual([live?.id]);
  });

  it("gets through a FIFO topic's deduplication with an id of its own", async () => {
    const harness = await startHarness();
    const topicArn = await createLocalTopic(harness.sns.url, "events.fifo");
    const [event] = await addEvents(harness, 1);
    const { start, run } = replaying(harness, { topicArn });

    await run(await start());
    await run(await start());

    const messages = harness.sns.messages(topicArn);
    expect(idsOf(messages)).toEqual([event?.id, event?.id]);
    expect(messages.map((message) => message.deduplicated)).toEqual([0, 0]);
  });

  it("sends again only the entries that failed, and reports those that SNS refuses by name (G5)", async () => {
    const harness = await startHarness();
    const events = await addEvents(harness, 10);
    const [failing, refused] = [events[2], events[7]];
    harness.sns.addFault({ kind: "fail-entries", matching: failing?.invoiceId ?? "" });
    // In its batch, and by itself.
    const matching = refused?.invoiceId ?? "";
    harness.sns.addFault({ kind: "fail-entries", senderFault: true, matching, times: 2 });
    const { start, run, db } = replaying(harness);

    const replay = await start();
    const ended = await run(replay);

    expect(ended).toMatchObject({ state: "done", handled: 10, sent: 9, refused: 1 });
    const sent = idsOf(harness.sns.messages());
    expect(new Set(sent).size).toBe(sent.length);
    expect(sent.at(-1)).toBe(failing?.id);
    expect(await listRefusals({ db, id: replay.id })).toEqual([
      {
        eventId: refused?.id,
        source: "default",
        invoiceId: refused?.invoiceId,
        error: expect.stringContaining("InvalidParameter"),
      },
    ]);
  });

  it("takes nothing more while a live event is due (G9)", async () => {
    const harness = await startHarness();
    await addEvents(harness, 900);
    await startRelay(harness.environment());
    const { start } = replaying(harness);

    await start();
    const behind: { id: string; accepted: number }[] = [];
    for (let round = 1; round <= 8; round += 1) {
      await vi.waitFor(() => expect(harness.sns.messages().length).toBeGreaterThan(round * 60), {
        interval: 25,
      });
      const id = await addDueEvent(harness);
      behind.push({ id, accepted: harness.sns.messages().length });
      await harness.query("select pg_notify('invoice_relay', 'test publish')");
    }
    await eventually(
      () => harness.query("select state, sent from replay"),
      toEqual([{ state: "done", sent: 900 }]),
    );

    const order = idsOf(harness.sns.messages());
    const live = new Set(behind.map(({ id }) => id));
    expect(behind.every(({ id }) => order.includes(id))).toBe(true);
    const replayedBefore = behind.map(
      ({ id, accepted }) =>
        order.slice(accepted, order.indexOf(id)).filter((other) => !live.has(other ?? "")).length,
    );
    // Leased before it was there: a quarter of 160. Two batches more may pass while it is on its way itself.
    expect(Math.max(...replayedBefore)).toBeLessThanOrEqual(60);
  });

  it("keeps no live event waiting although the topic that it goes to never answers (G11)", async () => {
    const harness = await startHarness();
    const hanging = await createLocalTopic(harness.sns.url, "hanging");
    harness.sns.addFault({ kind: "hang", topicArn: hanging, times: 100 });
    await addEvents(harness, 200);
    await startRelay(harness.environment());
    const { start } = replaying(harness);
    await start({}, { kind: "other_topic", topicArn: hanging });
    await eventually(
      () => harness.query("select count(*)::int as n from outbox where state = 'claimed'"),
      toEqual([{ n: 40 }]),
    );

    const ids = await Promise.all(Array.from({ length: 30 }, () => addDueEvent(harness)));
    await harness.query("select pg_notify('invoice_relay', 'test publish')");

    await eventually(() => idsOf(harness.sns.messages(harness.topicArn)).sort(), toEqual([...ids].sort()));
    expect(harness.sns.messages(hanging)).toEqual([]);
  });

  it("changes nothing of an event that still waits to be sent, whatever becomes of the replay", async () => {
    const harness = await startHarness();
    const [event] = await addEvents(harness, 1, { state: "held", invoiceType: "Test" });
    const other = await createLocalTopic(harness.sns.url, "other");
    const { start, run, db } = replaying(harness);
    const target = { kind: "other_topic", topicArn: other } as const;
    const named = { invoiceIds: [event?.invoiceId ?? ""] };
    const live = () => harness.query("select state, attempt, last_error from outbox");
    const before = await live();

    harness.sns.addFault({ kind: "fail-entries", senderFault: true, times: 2 });
    expect(await run(await start(named, target))).toMatchObject({ state: "done", refused: 1, sent: 0 });
    expect(await live()).toEqual(before);
    harness.sns.addFault({ kind: "topic-missing", action: "PublishBatch" });
    expect(await run(await start(named, target))).toMatchObject({ state: "failed", sent: 0 });
    expect(await live()).toEqual(before);
    const replay = await start(named, target, 1);
    await cancelReplay({ db, actor: "cli:test", id: replay.id });
    expect(await live()).toEqual(before);
    expect(await harness.query("select from history_entry where kind = 'send_failed'")).toEqual([]);
    expect(await harness.query("select from alarm")).toEqual([]);
  });

  it("of invoices that are named goes to another topic though it is held: of a Test invoice that is Live now", async () => {
    const harness = await startHarness();
    const [event] = await addEvents(harness, 2, { state: "held", invoiceType: "Test" });
    const { start, run } = replaying(harness);
    const target = { kind: "other_topic", topicArn: harness.topicArn } as const;
    await expect(start({}, target)).rejects.toThrow("nothing matched");
    await expect(start({ invoiceIds: [event?.invoiceId ?? ""] })).rejects.toThrow("nothing matched");

    await run(await start({ invoiceIds: [event?.invoiceId ?? ""] }, target));

    expect(idsOf(harness.sns.messages(harness.topicArn))).toEqual([event?.id]);
    expect(await harness.query("select state from outbox")).toEqual([{ state: "held" }, { state: "held" }]);
  });

  it("refuses filters that mean nothing for its kind, rather than ignoring them", async () => {
    const harness = await startHarness();
    const { start } = replaying(harness);
    await expect(start({ refused: true })).rejects.toThrow(/refused callbacks/);
    await expect(start({ from: "2026-11-02T00:00:00Z", to: "2026-11-01T00:00:00Z" })).rejects.toThrow(
      /is empty/,
    );
    await expect(start({ source: "gone" })).rejects.toThrow(/no topic for source gone\..* \(--topic\)/);
  });
});
