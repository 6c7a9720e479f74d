import { randomUUID } from "node:crypto";
import { appendFile, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateTopicCommand, SNSClient } from "@aws-sdk/client-sns";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createReplayWorkshop } from "../../src/app/replay-workshop.ts";
import type { Database } from "../../src/database/connect.ts";
import type { Route } from "../../src/publish/claim-events.ts";
import { createEventFile } from "../../src/replay/event-file-step.ts";
import { planReplay } from "../../src/replay/plan-replay.ts";
import type { Replay, ReplayFilters, ReplayTarget } from "../../src/replay/replay.ts";
import { takeUpReplay } from "../../src/replay/replay-workshop.ts";
import { cancelReplay, resumeReplay, startReplay } from "../../src/replay/start-replay.ts";
import { type Surroundings, startRelay, surroundings } from "../support/relay.ts";
import { addEvents, openDatabase, wholeDatabase } from "./log-rows.ts";
import { runCommand, startCommand } from "./run-command.ts";

const FAST = 100_000;
const never = new AbortController().signal;

function replaying(around: Surroundings, topicArn = around.topicArn) {
  const db = openDatabase(around.databaseUrl);
  const routes: Route[] = [{ source: "default", invoiceType: "Live", topicArn }];
  const workshop = createReplayWorkshop({
    db,
    leaseMs: 1_000,
    onQuestions: () => undefined,
    sns: { routes, region: "us-east-1", endpoint: around.sns.url },
  });
  return {
    db,
    routes,
    workshop,
    start: (filters: ReplayFilters = {}, target: ReplayTarget = { kind: "topics" }, rate = FAST) =>
      mustStart(db, routes, filters, target, rate),
    run: (replay: Replay, stop = never) => takeUpReplay(workshop, replay.id, { stop }),
  };
}

async function mustStart(
  db: Database,
  routes: Route[],
  filters: ReplayFilters,
  target: ReplayTarget,
  rate: number,
): Promise<Replay> {
  const replay = await startReplay({ db, actor: "cli:test", kind: "events", filters, target, routes, rate });
  if (replay === null) throw new Error("nothing matched");
  return replay;
}

const idsOf = (messages: { messageAttributes: Record<string, { Value: string }> }[]) =>
  messages.map((message) => message.messageAttributes.id?.Value);

async function temporaryFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "invoice-relay-replay-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "events.ndjson");
}

describe("replay events", () => {
  it("publishes again with the same id and payload, marked as a replay, and keeps every outcome (G5, G9)", async () => {
    const around = await surroundings();
    const events = await addEvents(around, 23);
    const { start, run } = replaying(around);

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
    const messages = around.sns.messages(around.topicArn);
    expect(messages.map((message) => message.message)).toEqual(events.map((event) => event.payload));
    expect(idsOf(messages)).toEqual(events.map((event) => event.id));
    expect(new Set(messages.map((message) => message.messageAttributes.replay?.Value))).toEqual(
      new Set([replay.id]),
    );
    const kept = await around.query(
      "select event_id, message_id from publication where replay_id = $1 order by id",
      [replay.id],
    );
    expect(kept).toEqual(
      messages.map((message, index) => ({ event_id: events[index]?.id, message_id: message.messageId })),
    );
  });

  it("in a dry run says how many and which come first, and changes nothing", async () => {
    const around = await surroundings();
    const [first] = await addEvents(around, 12);
    const { db, routes } = replaying(around);
    const before = await wholeDatabase(around);

    const plan = await planReplay({
      db,
      kind: "events",
      filters: { from: "2026-10-01T00:00:01Z", to: "2026-10-01T00:00:04Z" },
      target: { kind: "topics" },
      routes,
      readAgain: () => null,
    });

    expect(plan.matching).toBe(3);
    expect(plan.first[0]).toMatchObject({ eventId: first?.id, invoiceIds: [first?.invoiceId] });
    expect(await wholeDatabase(around)).toEqual(before);
    expect(around.sns.messages()).toEqual([]);
  });

  it("takes only what every filter allows", async () => {
    const around = await surroundings();
    const [one, two] = await addEvents(around, 3);
    const { start, run } = replaying(around);
    const invoiceIds = [one?.invoiceId ?? "", two?.invoiceId ?? ""];

    await run(
      await start({ invoiceIds, eventType: "invoice.paid", source: "default", to: "2026-10-01T00:00:02Z" }),
    );

    expect(idsOf(around.sns.messages())).toEqual([one?.id]);
  });

  it("never sends Test events, unpublished or held ones to the live topic", async () => {
    const around = await surroundings();
    const [live] = await addEvents(around, 1);
    await addEvents(around, 2, { invoiceType: "Test" });
    await addEvents(around, 2, { state: "held", invoiceType: "Test" });
    await addEvents(around, 2, { state: "dead" });
    const { start, run } = replaying(around);

    await run(await start());

    expect(idsOf(around.sns.messages())).toEqual([live?.id]);
  });

  it("gets through a FIFO topic's deduplication with an id of its own", async () => {
    const around = await surroundings();
    const client = new SNSClient({ endpoint: around.sns.url, region: "us-east-1" });
    const { TopicArn = "" } = await client.send(
      new CreateTopicCommand({ Name: "events.fifo", Attributes: { FifoTopic: "true" } }),
    );
    client.destroy();
    const [event] = await addEvents(around, 1);
    const { start, run } = replaying(around, TopicArn);

    await run(await start());
    await run(await start());

    const messages = around.sns.messages(TopicArn);
    expect(idsOf(messages)).toEqual([event?.id, event?.id]);
    expect(messages.map((message) => message.deduplicated)).toEqual([0, 0]);
  });

  it("sends again only the entries that failed, and reports those that SNS refuses by name (G5)", async () => {
    const around = await surroundings();
    const events = await addEvents(around, 10);
    const [failing, refused] = [events[2], events[7]];
    around.sns.addFault({ kind: "fail-entries", matching: failing?.invoiceId ?? "" });
    around.sns.addFault({ kind: "fail-entries", senderFault: true, matching: refused?.invoiceId ?? "" });
    const { start, run, db } = replaying(around);

    const replay = await start();
    const ended = await run(replay);

    expect(ended).toMatchObject({ state: "done", handled: 10, sent: 9, refused: 1 });
    const sent = idsOf(around.sns.messages());
    expect(new Set(sent).size).toBe(sent.length);
    expect(sent.at(-1)).toBe(failing?.id);
    const { listRefusals } = await import("../../src/replay/replay-store.ts");
    expect(await listRefusals({ db, id: replay.id })).toEqual([
      {
        eventId: refused?.id,
        invoiceId: refused?.invoiceId,
        error: expect.stringContaining("InvalidParameter"),
      },
    ]);
  });

  it("fails visibly when SNS refuses the topic, and goes on where it stopped once resumed", async () => {
    const around = await surroundings();
    await addEvents(around, 15);
    const { start, run, db } = replaying(around);
    const replay = await start();
    around.sns.addFault({ kind: "refuse-credentials", action: "PublishBatch" });

    const failed = await run(replay);
    expect(failed).toMatchObject({
      state: "failed",
      lastError: expect.stringContaining("refuses the topic"),
    });

    await resumeReplay({ db, actor: "cli:test", id: replay.id });
    expect(await run(replay)).toMatchObject({ state: "done", handled: 15 });
    expect(around.sns.messages()).toHaveLength(15);
  });

  it("lets no live event wait behind more than one of its batches (G9)", { timeout: 60_000 }, async () => {
    const around = await surroundings();
    await addEvents(around, 900);
    await startRelay(around.environment());
    const { start, run } = replaying(around);

    const running = run(await start());
    const behind: { id: string; accepted: number }[] = [];
    for (let round = 1; round <= 8; round += 1) {
      await vi.waitFor(() => expect(around.sns.messages().length).toBeGreaterThan(round * 60), {
        interval: 25,
        timeout: 20_000,
      });
      const id = randomUUID();
      await around.query(
        `insert into event (id, invoice_id, type, source, invoice_type, payload) values ($1, $1, 'invoice.paid', 'default', 'Live', '{}')`,
        [id],
      );
      behind.push({ id, accepted: around.sns.messages().length });
      await around.query("select pg_notify('invoice_relay', 'test publish')");
    }
    expect(await running).toMatchObject({ state: "done", sent: 900 });

    const order = idsOf(around.sns.messages());
    const live = new Set(behind.map(({ id }) => id));
    expect(behind.every(({ id }) => order.includes(id))).toBe(true);
    const replayedBefore = behind.map(
      ({ id, accepted }) =>
        order.slice(accepted, order.indexOf(id)).filter((other) => !live.has(other ?? "")).length,
    );
    expect(Math.max(...replayedBefore)).toBeLessThanOrEqual(10);
  });

  it("waits while the topic is paused, and goes on when it is resumed", async () => {
    const around = await surroundings();
    await addEvents(around, 3);
    await around.query("insert into topic (arn, paused_by, paused_at) values ($1, 'operator', now())", [
      around.topicArn,
    ]);
    const { start, run } = replaying(around);
    const replay = await start();
    const running = run(replay);
    await vi.waitFor(async () =>
      expect(await around.query("select waits_for from replay")).toEqual([
        { waits_for: expect.stringContaining("paused") },
      ]),
    );
    expect(around.sns.messages()).toEqual([]);

    await around.query("update topic set paused_by = null, paused_at = null");

    expect(await running).toMatchObject({ state: "done", sent: 3, waitsFor: null });
  });

  it("stops when it is cancelled, and two of a kind take turns", async () => {
    const around = await surroundings();
    await addEvents(around, 200);
    const { start, run, db } = replaying(around);
    const [slow, next] = [await start({}, { kind: "topics" }, 50), await start()];
    const running = run(slow);
    await vi.waitFor(() => expect(around.sns.messages().length).toBeGreaterThan(0));

    expect(await run(next)).toBeNull();
    await cancelReplay({ db, actor: "cli:test", id: slow.id });

    expect(await running).toMatchObject({ state: "cancelled" });
    expect(await run(next)).toMatchObject({ state: "done", sent: 200 });
    const actions = await around.query("select action, subject from audit_entry order by id");
    expect(actions).toEqual([
      { action: "replay.start", subject: slow.id },
      { action: "replay.start", subject: next.id },
      { action: "replay.cancel", subject: slow.id },
    ]);
  });

  it("killed in the middle and resumed: every event went out at least once and stands recorded", {
    timeout: 60_000,
  }, async () => {
    const around = await surroundings();
    const events = await addEvents(around, 400);
    const command = startCommand(
      ["replay", "events", "--rate", "400"],
      around.environment({ LEASE_DURATION: "500ms" }),
    );
    await vi.waitFor(() => expect(around.sns.messages().length).toBeGreaterThan(40), { timeout: 20_000 });
    command.child.kill("SIGKILL");
    expect(await command.ended).toBeNull();
    const [row] = await around.query<{ id: string; handled: number; state: string }>(
      "select id, handled, state from replay",
    );
    expect(row?.state).toBe("running");
    expect(row?.handled).toBeLessThan(400);

    const resumed = await runCommand(
      ["replay", "resume", row?.id ?? "", "--json"],
      around.environment({ LEASE_DURATION: "500ms" }),
    );

    expect(resumed).toMatchObject({ code: 0 });
    expect(JSON.parse(resumed.stdout).replay).toMatchObject({ state: "done", handled: 400 });
    expect(new Set(idsOf(around.sns.messages()))).toEqual(new Set(events.map((event) => event.id)));
    const recorded = await around.query("select distinct event_id from publication where replay_id = $1", [
      row?.id,
    ]);
    expect(recorded).toHaveLength(400);
    // Only the batch that was under way may have gone twice.
    expect(around.sns.messages().length).toBeLessThanOrEqual(410);
  });

  it("of a dead process is taken up by serve, by itself", async () => {
    const around = await surroundings();
    await addEvents(around, 30);
    const { start, run } = replaying(around);
    const replay = await start({}, { kind: "topics" }, 20);
    const stop = new AbortController();
    const running = run(replay, stop.signal);
    await vi.waitFor(() => expect(around.sns.messages().length).toBeGreaterThan(0));
    stop.abort();
    expect(await running).toMatchObject({ state: "running", underWay: false });

    await startRelay(around.environment());

    await vi.waitFor(
      async () =>
        expect(await around.query("select state, handled from replay")).toEqual([
          { state: "done", handled: 30 },
        ]),
      { timeout: 10_000 },
    );
  });

  it("to a file writes each event once and whole, after a crash in the middle of a line too", async () => {
    const around = await surroundings();
    const events = await addEvents(around, 25);
    const { start, run } = replaying(around);
    const path = await temporaryFile();
    await createEventFile(path);
    const replay = await start({}, { kind: "file", path }, 50);
    const stop = new AbortController();
    const running = run(replay, stop.signal);
    await vi.waitFor(async () => expect((await stat(path)).size).toBeGreaterThan(0));
    stop.abort();
    await running;
    await appendFile(path, '{"half a line');

    expect(await run(replay)).toMatchObject({ state: "done", sent: 25 });

    expect((await readFile(path, "utf8")).trimEnd().split("\n")).toEqual(
      events.map((event) => event.payload),
    );
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await expect(createEventFile(path)).rejects.toThrow(/is there already/);
  });

  it("to another topic leaves the live one alone", async () => {
    const around = await surroundings();
    const [event] = await addEvents(around, 1);
    const { start, run } = replaying(around);

    await run(await start({}, { kind: "other_topic", topicArn: around.testTopicArn }));

    expect(around.sns.messages(around.topicArn)).toEqual([]);
    expect(idsOf(around.sns.messages(around.testTopicArn))).toEqual([event?.id]);
  });

  it("refuses filters that mean nothing for its kind, rather than ignoring them", async () => {
    const around = await surroundings();
    const { start } = replaying(around);
    await expect(start({ refused: true })).rejects.toThrow(/refused callbacks/);
    await expect(start({ from: "2026-11-02T00:00:00Z", to: "2026-11-01T00:00:00Z" })).rejects.toThrow(
      /is empty/,
    );
  });
});
