import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { invoicePaidId } from "../../../src/events/index.ts";
import { cancelReplay, listRefusals } from "../../../src/pipeline/replay/index.ts";
import { createLocalTopic } from "../../../src/runtime/dev-environment.ts";
import { eventually, toEqual } from "../../support/eventually.ts";
import { addEvents, wholeDatabase } from "../../support/log-rows.ts";
import { startRelay } from "../../support/relay.ts";
import { idsOf, ownReplaying } from "./replaying-fixture.ts";

/** One that a person names. */
const toTopic = (topicArn: string) => ({ kind: "other_topic", topicArn }) as const;

describe("replay events", () => {
  it("publishes again with the same id and payload, marked as a replay, and keeps every outcome (G5, G9)", async () => {
    const { harness, query, sns, topicArn, start, run } = await ownReplaying();
    const events = await addEvents(harness, 23);
    const replay = await start();
    const ended = { state: "done", matching: 23, handled: 23, sent: 23, refused: 0, underWay: false };
    expect(await run(replay)).toMatchObject(ended);
    const messages = sns.messages(topicArn);
    expect(messages.map(({ message }) => message).sort()).toEqual(
      events.map(({ payload }) => payload).sort(),
    );
    expect(idsOf(messages).sort()).toEqual(events.map(({ id }) => id).sort());
    expect(new Set(messages.map((message) => message.messageAttributes.replay?.Value))).toEqual(
      new Set([replay.id]),
    );
    const kept = await query<{ id: string }>(
      "select event_id as id, topic_arn, message_id from publication where replay_id = $1 order by message_id",
      [replay.id],
    );
    expect(kept).toEqual(
      messages
        .toSorted((one, other) => (one.messageId < other.messageId ? -1 : 1))
        .map(({ messageAttributes: { id }, messageId }) => ({
          ...{ id: id?.Value, topic_arn: topicArn, message_id: messageId },
        })),
    );
    expect(await query("select from outbox")).toEqual([]);
  });

  it("takes only what every filter allows; in a dry run says how many, and changes nothing", async () => {
    const { harness, sns, plan, start, run } = await ownReplaying();
    const [first, second] = await addEvents(harness, 12);
    const before = await wholeDatabase(harness);
    expect(await plan({ from: "2026-10-01T00:00:01Z", to: "2026-10-01T00:00:04Z" })).toMatchObject({
      matching: 3,
    });
    expect(await wholeDatabase(harness)).toEqual(before);
    expect(sns.messages()).toEqual([]);

    const invoiceIds = [first?.invoiceId ?? "", second?.invoiceId ?? ""];
    const filters = { source: "default", to: "2026-10-01T00:00:02Z" };
    await run(await start({ invoiceIds, ...filters }));
    expect(idsOf(sns.messages())).toEqual([first?.id]);
  });

  it("never sends Test events to the live topic, nor unpublished or held ones, nor accepted ones that are in the outbox again", async () => {
    const { harness, query, sns, start, run } = await ownReplaying();
    const [live, again] = await addEvents(harness, 2);
    await query(
      "insert into outbox (event_id, source, invoice_type, state) values ($1, 'default', 'Live', 'dead')",
      [again?.id],
    );
    await addEvents(harness, 2, { invoiceType: "Test" });
    await addEvents(harness, 2, { state: "held", invoiceType: "Test" });
    await addEvents(harness, 2, { state: "dead" });
    await run(await start());
    expect(idsOf(sns.messages())).toEqual([live?.id]);
  });

  it("sends again only the entries that failed, and reports those that SNS refuses by name (G5)", async () => {
    const { harness, sns, start, run, db } = await ownReplaying();
    const events = await addEvents(harness, 10);
    const [failing, refused] = [events[2], events[7]];
    sns.addFault({ kind: "fail-entries", matching: failing?.invoiceId ?? "" });
    // In its batch, and by itself.
    const matching = refused?.invoiceId ?? "";
    sns.addFault({ kind: "fail-entries", senderFault: true, matching, times: 2 });
    const replay = await start();
    expect(await run(replay)).toMatchObject({ state: "done", handled: 10, sent: 9, refused: 1 });
    const sent = idsOf(sns.messages());
    expect([new Set(sent).size, sent.at(-1)]).toEqual([9, failing?.id]);
    expect(await listRefusals(db, replay.id)).toMatchObject([
      { eventId: refused?.id, source: "default", invoiceId: refused?.invoiceId },
    ]);
  });

  // The claims alone: test/pipeline/publish/claim-events.test.ts.
  it("keeps no live event waiting although the topic that it goes to never answers, and queues little ahead (G8, G9, G11)", async () => {
    const { harness, query, sns, topicArn, start } = await ownReplaying();
    const hanging = await createLocalTopic(sns.url, "hanging");
    sns.addFault({ kind: "hang", topicArn: hanging, times: 100 });
    await addEvents(harness, 900);
    await startRelay(harness.environment());
    await start({}, toTopic(hanging));
    // A quarter of what may be under way.
    const leased = () => query("select count(*)::int as n from outbox where state = 'claimed'");
    await eventually(leased, toEqual([{ n: 40 }]));
    const invoiceIds = Array.from({ length: 30 }, () => randomUUID());
    const ids = invoiceIds.map(invoicePaidId).sort();
    await query(
      `with made as (
         insert into event (id, invoice_id, type, source, invoice_type, payload)
         select event_id(id, 'invoice.paid'), id, 'invoice.paid', 'default', 'Live', '{}'
         from unnest($1::uuid[]) as id returning id)
       insert into outbox (event_id, source, invoice_type) select id, 'default', 'Live' from made`,
      [invoiceIds],
    );
    await eventually(() => idsOf(sns.messages(topicArn)).sort(), toEqual(ids));
    expect(sns.messages(hanging)).toEqual([]);
    const ofReplay = "select count(*)::int as n from outbox where topic_arn = $1";
    const [ahead] = await query<{ n: number }>(ofReplay, [hanging]);
    expect(ahead?.n).toBeLessThanOrEqual(500);
  });

  it("changes nothing of an event that still waits to be sent, whatever becomes of the replay", async () => {
    const { harness, query, sns, start, run, db } = await ownReplaying();
    const [event] = await addEvents(harness, 1, { state: "held", invoiceType: "Test" });
    const target = toTopic(await createLocalTopic(sns.url, "other"));
    const named = { invoiceIds: [event?.invoiceId ?? ""] };
    const live = () => query("select state, attempt, last_error from outbox");
    const before = await live();
    sns.addFault({ kind: "fail-entries", senderFault: true, times: 2 });
    expect(await run(await start(named, target))).toMatchObject({ state: "done", refused: 1, sent: 0 });
    expect(await live()).toEqual(before);
    sns.addFault({ kind: "topic-missing", action: "PublishBatch" });
    expect(await run(await start(named, target))).toMatchObject({ state: "failed", sent: 0 });
    expect(await live()).toEqual(before);
    const replay = await start(named, target, 1);
    await cancelReplay({ db, actor: "cli:test", id: replay.id });
    expect(await live()).toEqual(before);
    expect(await query("select from history_entry where kind = 'send_failed'")).toEqual([]);
    expect(await query("select from alarm where name <> 'replay_failed'")).toEqual([]);
  });

  it("of invoices that are named goes to another topic though it is held: of a Test invoice that is Live now", async () => {
    const { harness, query, sns, topicArn, startOrNothing, start, run } = await ownReplaying();
    const [event] = await addEvents(harness, 2, { state: "held", invoiceType: "Test" });
    const named = { invoiceIds: [event?.invoiceId ?? ""] };
    expect(await startOrNothing({}, toTopic(topicArn))).toBeNull();
    expect(await startOrNothing(named)).toBeNull();
    await run(await start(named, toTopic(topicArn)));
    expect(idsOf(sns.messages(topicArn))).toEqual([event?.id]);
    expect(await query("select state from outbox")).toEqual([{ state: "held" }, { state: "held" }]);
  });

  it.each([
    [{ refused: true }],
    [{ from: "2026-11-02T00:00:00Z", to: "2026-11-01T00:00:00Z" }],
    [{ source: "gone" }],
    [{ verdict: "ping" }],
  ])("refuses what means nothing for its kind, rather than ignoring it: %j", async (filters) => {
    const { start } = await ownReplaying();
    await expect(start(filters)).rejects.toMatchObject({ code: "usage" });
  });
});
