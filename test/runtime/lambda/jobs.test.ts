import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { makePartitions } from "../../../src/pipeline/receive/log/partitions.ts";
import { connect } from "../../../src/platform/database/index.ts";
import { Secret } from "../../../src/platform/values/mask.ts";
import { COLLECTION, startListProvider } from "../../pipeline/reconcile/list-provider.ts";
import { eventually, toBeGreaterThan } from "../../support/eventually.ts";
import { addEvents } from "../../support/log-rows.ts";
import { onceForAll } from "../../support/own-test.ts";
import { invoiceAnswer } from "../../support/scripted-provider.ts";
import { startTraceReceiver } from "../../support/trace-receiver.ts";
import { useBundles } from "./bundles.ts";
import { lambdaStack } from "./lambda-stack.ts";
import { callbackEvent, queueEvent, scheduleEvent, topicEvent } from "./payloads.ts";

const bundles = useBundles();
const own = onceForAll(() => lambdaStack(bundles));

const published = () =>
  own()
    .sns.messages(own().topicArn)
    .map(({ message }) => JSON.parse(message).subject);

const publishedOf = (id: string) => published().filter((subject) => subject === id);

const confirmationOf = async (id: string) =>
  (await own().query("select state, verdict, opened_by from confirmation where invoice_id = $1", [id]))[0];

/** Records a callback about a paid invoice; Lambda may end a container after its answer. */
async function withRecorded() {
  const stack = own();
  const id = stack.provider.paid();
  const receive = stack.container("receive");
  expect(await receive.invoke(callbackEvent(id))).toMatchObject({ statusCode: 200 });
  await receive.kill();
  return { stack, id };
}

it("a callback becomes an event, each function waking the next, and is one trace whose spans are sent as each ends", async () => {
  const stack = own();
  const collector = await startTraceReceiver();
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const names = () => collector.spans.map(({ name }) => name).sort();
  const id = stack.provider.paid();

  await stack.container("receive", traced).invoke(callbackEvent(id));
  expect(names()).toEqual(["POST /callbacks/{token}"]);
  expect(stack.confirmQueue.bodies()).not.toEqual([]);
  await stack.container("confirm", traced).invoke(queueEvent(stack.confirmQueue.bodies()));
  expect(names()).toContain("confirm invoice");
  expect(stack.publishQueue.bodies()).not.toEqual([]);
  await stack.container("publish", traced).invoke(queueEvent(stack.publishQueue.bodies()));

  const [message, ...others] = stack.sns.messages(stack.topicArn);
  expect([JSON.parse(message?.message ?? "").subject, others]).toEqual([id, []]);
  const published = collector.spans.find(({ name }) => name === "publish invoice-events");
  expect(message?.messageAttributes.traceparent).toMatchObject({
    Value: `00-${published?.traceId}-${published?.spanId}-01`,
  });
  const inOneTrace = collector.spans.filter(({ traceId }) => traceId === published?.traceId);
  expect(inOneTrace.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["POST /callbacks/{token}", "confirm invoice"]),
  );
});

it("each function does its work on its schedule alone", async () => {
  const stack = own();
  const { db, close } = connect(new Secret(stack.databaseUrl), { max: 1 });
  onTestFinished(close);
  await makePartitions(db);
  const id = stack.provider.paid();

  const receive = stack.container("receive");
  expect(await receive.invoke(callbackEvent(id))).toMatchObject({ statusCode: 200 });
  for (const name of ["confirm", "publish", "reconcile", "certify", "replay"]) {
    const container = stack.container(name);
    // None reads its event: whatever wakes it will do.
    for (const event of [scheduleEvent, topicEvent("wake up")])
      expect(await container.invoke(event), name).toBeNull();
    expect(container.lines.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
    await container.kill();
  }
  await receive.kill();
  expect(publishedOf(id)).toEqual([id]);
});

describe("the functions together", () => {
  it("confirm ends before Lambda ends it, and releases what it has not begun", async () => {
    const { stack, id } = await withRecorded();
    stack.provider.invoice(id, () => undefined);
    // 10 s before its end the function stops: at once, here. What is under way gets a few seconds more.
    await stack.container("confirm").invoke(scheduleEvent, { remainingMs: 10_000 });
    expect(await confirmationOf(id)).toMatchObject({ state: "due" });
    stack.provider.invoice(id, invoiceAnswer(id));
  });

  it("each refuse a schema that is behind, naming what is missing, and work once it was migrated", async () => {
    const stack = own();
    await stack.query("delete from kysely_migration where name = '0005_replays'");
    const confirm = stack.container("confirm");
    await expect(confirm.invoke(scheduleEvent)).rejects.toThrow("0005_replays");
    await stack.query("insert into kysely_migration values ('0005_replays', '2026-11-01')");
    await confirm.invoke(scheduleEvent);
  });

  it("confirm and publish say how long the oldest work waits, whatever LOG_LEVEL says", async () => {
    const { stack, id } = await withRecorded();
    const since = "due_at = now() - interval '1 hour', open_since = now() - interval '1 hour'";
    await stack.query(`update confirmation set ${since} where invoice_id = $1`, [id]);
    for (const name of ["publish", "confirm"]) {
      const container = stack.container(name, { LOG_LEVEL: "error" });
      await container.invoke(scheduleEvent);
      const told = container.lines.flatMap(({ backlog }) => backlog ?? []);
      const oldest = expect.toSatisfy((age: number) => age > 3_599);
      expect(told, name).toEqual([{ confirmSeconds: oldest, publishSeconds: expect.any(Number) }]);
    }
  });

  it("reconcile reads the provider's list, and wakes confirm for what no callback told", async () => {
    const stack = own();
    const provider = await startListProvider();
    const hour = 3_600_000;
    const woken = stack.confirmQueue.bodies().length;
    await stack.container("publish").invoke(scheduleEvent);
    await stack.query("update source set first_served_at = now() - interval '10 days'");
    const id = randomUUID();
    provider.invoices.push({
      id,
      createdAt: new Date(Date.now() - 30 * hour),
      paidAt: new Date(Date.now() - 20 * hour),
    });
    const settings = { COLLECTION_API_URL: provider.url, COLLECTION_IDS: COLLECTION };
    await stack.container("reconcile", settings).invoke(scheduleEvent);
    expect(await confirmationOf(id)).toMatchObject({ opened_by: "reconcile" });
    expect(stack.confirmQueue.bodies().length).toBeGreaterThan(woken);
  });

  it("replay queues events and wakes publish, which sends them", async () => {
    const stack = own();
    const events = await addEvents(stack, 3);
    await stack.query(
      `insert into replay (id, kind, filters, target, rate, matching, requested_by)
       values (gen_random_uuid(), 'events', '{}', '{"kind":"topics"}', 100, (select count(*) from event), 'cli:test')`,
    );
    const woken = stack.publishQueue.bodies().length;
    const replaying = stack.container("replay").invoke(scheduleEvent);
    await eventually(async () => stack.publishQueue.bodies().length, toBeGreaterThan(woken));
    // One more of it for each wake-up: a batch that was queued after the first is left to the next.
    const publish = stack.container("publish");
    const ids = events.map(({ invoiceId }) => invoiceId);
    await vi.waitFor(async () => {
      await publish.invoke(scheduleEvent);
      expect(published()).toEqual(expect.arrayContaining(ids));
    });
    await replaying;
    expect(await stack.query("select state, sent = matching as all_sent from replay")).toEqual([
      { state: "done", all_sent: true },
    ]);
  });

  it("retention makes the partitions that are due", async () => {
    const stack = own();
    const partitions = () =>
      stack.query(
        "select relname from pg_class where relispartition and relkind = 'r' and relname ~ '\\d{4}_\\d{2}$'",
      );
    for (const { relname } of await partitions()) await stack.query(`drop table ${relname}`);
    await stack.container("retention").invoke(scheduleEvent);
    expect(await partitions()).toHaveLength(4);
  });
});
